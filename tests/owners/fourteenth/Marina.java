// Looks after a marina: berths, boats of several kinds, meters of water and power read by the minute, visits, and bills by season.
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

public class Marina {
    abstract static class Boat {
        final String name;
        final double length;

        Boat(String name, double length) {
            this.name = name;
            this.length = length;
        }

        abstract double litres(Random random);

        abstract double watts(Random random);

        // What it costs to lie here for a day, in cents.
        final long fee() {
            return Math.round(length * 210);
        }
    }

    static class Sailing extends Boat {
        Sailing(String name, double length) {
            super(name, length);
        }

        @Override double litres(Random random) {
            return random.nextInt(10) == 0 ? 2 : 0;
        }

        @Override double watts(Random random) {
            return 120 + random.nextInt(200);
        }
    }

    static class Motor extends Boat {
        Motor(String name, double length) {
            super(name, length);
        }

        @Override double litres(Random random) {
            return random.nextInt(5) == 0 ? 6 : 0.2;
        }

        @Override double watts(Random random) {
            return 400 + random.nextInt(1500);
        }
    }

    record Sample(int berth, long minute, double litres, double watts, String boat) {}

    static class Meter {
        private final int berth;
        private final List<Sample> samples = new ArrayList<>();
        private double litres, wattMinutes;

        Meter(int berth) {
            this.berth = berth;
        }

        void read(long minute, Boat boat, Random random) {
            Sample sample = new Sample(berth, minute, boat.litres(random), boat.watts(random), boat.name);
            litres += sample.litres();
            wattMinutes += sample.watts();
            samples.add(sample); // guilty
        }

        // Much more power than an hour ago: a cable may be wet.
        boolean suspicious() {
            int n = samples.size();
            return n > 60 && samples.get(n - 1).watts() > 4.5 * samples.get(n - 60).watts();
        }

        long settle() {
            long cents = Math.round(litres * 0.6 + wattMinutes / 60000 * 45);
            litres = 0;
            wattMinutes = 0;
            return cents;
        }
    }

    static class Office {
        private final Map<String, Long> bills = new HashMap<>();
        private final Deque<String> letters = new ArrayDeque<>();
        private int warnings;

        void charge(Boat boat, long cents) {
            bills.merge(boat.name, cents, Long::sum);
        }

        void warn(int berth, Boat boat) {
            warnings++;
            letters.addLast("berth " + berth + ": please look after the cable of " + boat.name);
            if (letters.size() > 200) {
                letters.removeFirst();
            }
        }

        void report() {
            System.out.println("most is paid by " + Collections.max(bills.entrySet(), Map.Entry.comparingByValue()));
            System.out.println(warnings + " warnings, the last: " + letters.peekLast());
        }
    }

    private final Boat[] berths = new Boat[90];
    private final Meter[] meters = new Meter[berths.length];
    private final Office office = new Office();
    private final Random random = new Random(6);
    private int arrivals;

    Marina() {
        for (int i = 0; i < meters.length; i++) {
            meters[i] = new Meter(i);
        }
    }

    Boat arrival() {
        String name = List.of("Aurora", "Seeadler", "Petrel", "Mistral").get(random.nextInt(4)) + " " + arrivals++ % 300;
        double length = 6 + random.nextInt(90) / 10.0;
        return random.nextInt(3) == 0 ? new Motor(name, length) : new Sailing(name, length);
    }

    void minute(long minute) {
        for (int i = 0; i < berths.length; i++) {
            if (berths[i] == null) {
                continue;
            }
            meters[i].read(minute, berths[i], random);
            if (minute % 30 == 0 && meters[i].suspicious()) {
                office.warn(i, berths[i]);
            }
        }
    }

    void evening() {
        for (int i = 0; i < berths.length; i++) {
            if (berths[i] != null) {
                office.charge(berths[i], berths[i].fee() + meters[i].settle());
            }
            if (berths[i] == null || random.nextInt(4) == 0) {
                berths[i] = random.nextInt(5) == 0 ? null : arrival();
            }
        }
    }

    public static void main(String[] arguments) {
        Marina marina = new Marina();
        for (int day = 0; day < 9; day++) {
            marina.evening();
            for (int minute = 0; minute < 1440; minute++) {
                marina.minute(day * 1440L + minute);
            }
        }
        marina.office.report();
    }
}
