// Plans cloth for looms: a pool of shuttles, drafts built step by step, threads counted by colour, orders, and swatches for customers.
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

public class Loom {
    enum Colour { INDIGO, MADDER, WELD, WALNUT, WHITE }

    // Objects that are costly to make, lent out and taken back.
    static class Pool<T> {
        private final int most;
        private final Supplier<T> maker;
        private final Consumer<T> cleaner;
        private final Deque<T> free = new ArrayDeque<>();
        private final Set<T> lent = new HashSet<>();

        Pool(int most, Supplier<T> maker, Consumer<T> cleaner) {
            this.most = most;
            this.maker = maker;
            this.cleaner = cleaner;
        }

        T borrow() {
            T item = free.isEmpty() ? maker.get() : free.pop();
            lent.add(item);
            return item;
        }

        void giveBack(T item) {
            if (lent.remove(item) && free.size() < most) {
                cleaner.accept(item);
                free.push(item);
            }
        }

        int idle() {
            return free.size();
        }
    }

    static class Shuttle {
        private final List<int[]> picks = new ArrayList<>();
        private Colour colour = Colour.WHITE;

        void wind(Colour colour) {
            this.colour = colour;
        }

        void throwThrough(int[] shed) {
            picks.add(shed.clone()); // guilty
        }

        int[] last() {
            return picks.get(picks.size() - 1);
        }
    }

    static final class Draft {
        final int[] threading;
        final boolean[][] treadles;
        final List<Colour> wefts;
        final int picks;

        private Draft(Builder b) {
            threading = b.threading.stream().mapToInt(Integer::intValue).toArray();
            treadles = b.treadles.toArray(new boolean[0][]);
            wefts = List.copyOf(b.wefts);
            picks = b.picks;
        }

        static class Builder {
            private final List<Integer> threading = new ArrayList<>();
            private final List<boolean[]> treadles = new ArrayList<>();
            private final List<Colour> wefts = new ArrayList<>();
            private int picks;

            Builder thread(int ends, int shafts) {
                for (int i = 0; i < ends; i++) {
                    threading.add(i / shafts % 2 == 0 ? i % shafts : shafts - 1 - i % shafts);
                }
                return this;
            }

            Builder tie(boolean... shafts) {
                treadles.add(shafts);
                return this;
            }

            Builder weft(Colour colour) {
                wefts.add(colour);
                return this;
            }

            Builder picks(int picks) {
                this.picks = picks;
                return this;
            }

            Draft build() {
                if (treadles.isEmpty() || wefts.isEmpty()) {
                    throw new IllegalStateException("a draft needs treadles and wefts");
                }
                return new Draft(this);
            }
        }
    }

    private final Pool<Shuttle> shuttles = new Pool<>(16, Shuttle::new, shuttle -> shuttle.wind(Colour.WHITE));
    private final Map<Colour, Long> metres = new EnumMap<>(Colour.class);
    private final Deque<String> swatches = new ArrayDeque<>();
    private long floats;

    // Weaves with a shuttle for each colour, of which more are needed when one runs empty.
    void weave(Draft draft, int order) {
        List<Shuttle> used = new ArrayList<>();
        for (Colour colour : draft.wefts) {
            Shuttle shuttle = shuttles.borrow();
            shuttle.wind(colour);
            used.add(shuttle);
        }
        int[] shed = new int[draft.threading.length];
        for (int pick = 0; pick < draft.picks; pick++) {
            boolean[] tied = draft.treadles[pick % draft.treadles.length];
            for (int end = 0, over = 0; end < shed.length; end++) {
                shed[end] = tied[draft.threading[end]] ? 1 : 0;
                over = shed[end] == 1 ? over + 1 : 0;
                floats += over > 3 ? 1 : 0;
            }
            Shuttle shuttle = used.get(pick % used.size());
            shuttle.throwThrough(shed);
            metres.merge(shuttle.colour, (long) shed.length, Long::sum);
        }
        swatches.addLast("order " + order + ": " + java.util.Arrays.hashCode(used.get(0).last()));
        if (swatches.size() > 50) {
            swatches.removeFirst();
        }
        used.forEach(shuttles::giveBack);
    }

    public static void main(String[] arguments) {
        Loom loom = new Loom();
        Random random = new Random(4);
        for (int order = 0; order < 500; order++) {
            Draft.Builder builder = new Draft.Builder().thread(150 + random.nextInt(100), 4).picks(60 + random.nextInt(120));
            for (int i = 0; i < 4; i++) {
                builder.tie(i == 0 || i == 1, i == 1 || i == 2, i == 2 || i == 3, random.nextBoolean());
            }
            for (int i = 0, n = 9 + random.nextInt(4); i < n; i++) {
                builder.weft(Colour.values()[random.nextInt(5)]);
            }
            loom.weave(builder.build(), order);
        }
        System.out.println(loom.metres + ", " + loom.floats + " floats, " + loom.shuttles.idle() + " shuttles");
        System.out.println(loom.swatches.peekLast());
    }
}
