import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** A bakery: deliveries of ingredients, batches of dough, ovens, and the papers for the food inspection. */
public final class Bakery {
    enum Ingredient { FLOUR, WATER, SALT, YEAST, BUTTER, SEEDS }

    static final class Lot {
        final String number, supplier;
        double kilos;

        Lot(String number, String supplier, double kilos) {
            this.number = number;
            this.supplier = supplier;
            this.kilos = kilos;
        }
    }

    record Portion(Ingredient ingredient, String lot, double kilos) {}

    record Batch(int number, String product, LocalDateTime mixed, List<Portion> portions, double[] temperatures) {}

    static final class Store {
        private final Map<Ingredient, Deque<Lot>> lots = new EnumMap<>(Ingredient.class);
        private int delivered;

        void deliver(Ingredient ingredient, double kilos) {
            String number = ingredient + "-" + (20000 + delivered++);
            lots.computeIfAbsent(ingredient, i -> new ArrayDeque<>()).add(new Lot(number, "mill " + delivered % 7, kilos));
        }

        /** Takes from the oldest lots first. */
        void take(Ingredient ingredient, double kilos, List<Portion> portions) {
            Deque<Lot> stock = lots.computeIfAbsent(ingredient, i -> new ArrayDeque<>());
            while (kilos > 1e-9) {
                if (stock.isEmpty())
                    deliver(ingredient, 60);
                Lot lot = stock.peek();
                double part = Math.min(kilos, lot.kilos);
                lot.kilos -= part;
                kilos -= part;
                portions.add(new Portion(ingredient, lot.number, part));
                if (lot.kilos < 1e-9)
                    stock.remove();
            }
        }
    }

    static final class Mixer {
        private final Store store;
        private int number;

        Mixer(Store store) {
            this.store = store;
        }

        Batch mix(String product, LocalDateTime now, double scale) {
            List<Portion> portions = new ArrayList<>();
            double share = scale;
            for (Ingredient ingredient : Ingredient.values()) {
                store.take(ingredient, share, portions);
                share *= 0.6;
            }
            return new Batch(++number, product, now, portions, new double[50]);
        }
    }

    static final class Oven {
        private double heat = 180;

        double bake(Batch batch) {
            double sum = 0;
            for (int minute = 0; minute < batch.temperatures().length; minute++) {
                heat += (232 - heat) * 0.08 - (minute == 0 ? 11 : 0);
                batch.temperatures()[minute] = heat;
                sum += heat;
            }
            return sum / batch.temperatures().length;
        }
    }

    /** What an inspector may ask for; the law says two days. */
    static final class Journal {
        private final List<Batch> batches = new ArrayList<>();
        private int recalls;

        void enter(Batch batch) {
            batches.add(batch); // guilty
        }

        List<Integer> recall(String lot, LocalDateTime since) {
            recalls++;
            List<Integer> affected = new ArrayList<>();
            for (int i = batches.size() - 1; i >= 0 && batches.get(i).mixed().isAfter(since); i--)
                for (Portion portion : batches.get(i).portions())
                    if (portion.lot().equals(lot))
                        affected.add(batches.get(i).number());
            return affected;
        }
    }

    record Order(String shop, String product, int loaves, int minute) {}

    static final class Orders {
        private final PriorityQueue<Order> queue = new PriorityQueue<>(Comparator.comparingInt(Order::minute));
        private long served;

        void take(Order order) {
            queue.add(order);
        }

        void serve(int minute) {
            while (!queue.isEmpty() && queue.peek().minute() <= minute)
                served += queue.remove().loaves();
        }
    }

    public static void main(String[] args) {
        String[] products = {"rye", "baguette", "seeded", "brioche"};
        Store store = new Store();
        Mixer mixer = new Mixer(store);
        Oven oven = new Oven();
        Journal journal = new Journal();
        Orders orders = new Orders();
        LocalDateTime now = LocalDateTime.of(2026, 1, 5, 2, 0);
        double heat = 0;
        int affected = 0;
        for (int round = 0; round < 52000; round++) {
            Batch batch = mixer.mix(products[round % products.length], now, 9 + round % 5);
            heat += oven.bake(batch);
            journal.enter(batch);
            orders.take(new Order("shop " + round % 40, batch.product(), 20 + round % 15, round + round * 7 % 30));
            orders.serve(round);
            if (round % 2000 == 1999)
                affected += journal.recall(batch.portions().get(0).lot(), now.minusDays(2)).size();
            now = now.plusMinutes(20);
        }
        System.out.printf("%d batches, mean heat %.1f, %d recalls hit %d, %d loaves%n", journal.batches.size(), heat / 52000, journal.recalls,
                          affected, orders.served);
    }
}
