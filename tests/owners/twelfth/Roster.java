import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Plans the shifts of nurses by small changes, and does not try a plan twice. */
public final class Roster {
    enum Shift { OFF, EARLY, LATE, NIGHT }

    record Wish(int nurse, int day, Shift shift) {}

    static final class Plan {
        final byte[][] shifts;
        int cost;
        private String key;

        Plan(int nurses, int days) {
            shifts = new byte[nurses][days];
        }

        Plan copy() {
            Plan other = new Plan(shifts.length, shifts[0].length);
            for (int n = 0; n < shifts.length; n++)
                System.arraycopy(shifts[n], 0, other.shifts[n], 0, shifts[n].length);
            other.cost = cost;
            return other;
        }

        String key() {
            if (key != null)
                return key;
            StringBuilder text = new StringBuilder(shifts.length * shifts[0].length);
            for (byte[] row : shifts)
                for (byte shift : row)
                    text.append("-ELN".charAt(shift));
            return key = text.toString();
        }
    }

    static final class Rules {
        private final int[] needed = {0, 4, 3, 2};
        private final List<Wish> wishes = new ArrayList<>();

        Rules(Random random, int nurses, int days) {
            for (int i = 0; i < nurses * 2; i++)
                wishes.add(new Wish(random.nextInt(nurses), random.nextInt(days), Shift.values()[random.nextInt(4)]));
        }

        int cost(Plan plan) {
            int cost = 0, days = plan.shifts[0].length;
            int[] counts = new int[4];
            for (int day = 0; day < days; day++) {
                Arrays.fill(counts, 0);
                for (byte[] row : plan.shifts)
                    counts[row[day]]++;
                for (int s = 1; s < 4; s++)
                    cost += 20 * Math.abs(counts[s] - needed[s]);
            }
            for (byte[] row : plan.shifts) {
                int run = 0;
                for (int day = 0; day < days; day++) {
                    run = row[day] == 0 ? 0 : run + 1;
                    if (run > 5)
                        cost += 5;
                    if (day > 0 && row[day - 1] == 3 && row[day] == 1)
                        cost += 15;
                }
            }
            for (Wish wish : wishes)
                if (plan.shifts[wish.nurse()][wish.day()] != wish.shift().ordinal())
                    cost += 2;
            return cost;
        }
    }

    /** The plans that were looked at, with their costs. */
    static final class Memory {
        private final Map<String, Plan> seen = new HashMap<>();
        private int again;

        boolean isNew(Plan plan) {
            boolean known = seen.containsKey(plan.key());
            if (known)
                again++;
            return !known;
        }

        void remember(Plan plan) {
            seen.put(plan.key(), plan); // guilty
        }
    }

    static final class Search {
        private final Random random;
        private final Rules rules;
        private final Memory memory = new Memory();
        private int steps, accepted;

        Search(Random random, Rules rules) {
            this.random = random;
            this.rules = rules;
        }

        Plan neighbour(Plan plan) {
            Plan next = plan.copy();
            int day = random.nextInt(next.shifts[0].length), a = random.nextInt(next.shifts.length);
            if (random.nextBoolean()) {
                int b = random.nextInt(next.shifts.length);
                byte kept = next.shifts[a][day];
                next.shifts[a][day] = next.shifts[b][day];
                next.shifts[b][day] = kept;
            } else {
                next.shifts[a][day] = (byte) random.nextInt(4);
            }
            next.cost = rules.cost(next);
            return next;
        }

        Plan improve(Plan start, int tries) {
            Plan now = start, best = start;
            double heat = 12;
            for (int i = 0; i < tries; i++, heat *= 0.9996) {
                steps++;
                Plan next = neighbour(now);
                if (!memory.isNew(next))
                    continue;
                memory.remember(next);
                if (next.cost <= now.cost || random.nextDouble() < Math.exp((now.cost - next.cost) / heat)) {
                    accepted++;
                    now = next;
                }
                if (now.cost < best.cost)
                    best = now;
            }
            return best;
        }
    }

    static String[] sheet(Plan plan) {
        List<String> lines = new ArrayList<>();
        for (byte[] row : plan.shifts) {
            int[] counts = new int[4];
            for (byte shift : row)
                counts[shift]++;
            lines.add(Arrays.toString(counts));
        }
        return lines.toArray(new String[0]);
    }

    public static void main(String[] args) {
        Random random = new Random(6);
        int nurses = 14, days = 28, letters = 0;
        Search search = new Search(random, new Rules(random, nurses, days));
        Plan best = null;
        for (int ward = 0; ward < 4; ward++) {
            Plan start = new Plan(nurses, days);
            start.cost = search.rules.cost(start);
            best = search.improve(start, 11000);
            for (String line : sheet(best))
                letters += line.length();
        }
        System.out.printf("cost %d after %d steps, %d accepted, %d seen again, %d letters%n", best.cost, search.steps, search.accepted,
                          search.memory.again, letters);
    }
}
