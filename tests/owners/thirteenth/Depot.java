import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Looks after the trams of a depot: kilometres, wear of wheels, measurements, the plan of the workshop, and the stock of parts. */
public class Depot {
    static final class Wheel {
        double diameter = 660;
        double flange = 32;

        boolean worn() {
            return diameter < 640 || flange < 25;
        }
    }

    /** The shape of a wheel's tread, as a laser sees it. */
    static final class Profile {
        final int tram;
        final int wheel;
        final int day;
        final float[] heights;

        Profile(int tram, int wheel, int day, float[] heights) {
            this.tram = tram;
            this.wheel = wheel;
            this.day = day;
            this.heights = heights;
        }

        double roughness() {
            double sum = 0;
            for (int i = 1; i < heights.length; i++) {
                sum += Math.abs(heights[i] - heights[i - 1]);
            }
            return sum / heights.length;
        }
    }

    static final class Tram {
        final int number;
        final Wheel[] wheels = new Wheel[12];
        long kilometres;
        int inWorkshopUntil = -1;

        Tram(int number) {
            this.number = number;
            Arrays.setAll(wheels, i -> new Wheel());
        }

        void run(int km, Random random) {
            kilometres += km;
            for (Wheel wheel : wheels) {
                wheel.diameter -= km * 0.0009 * random.nextDouble();
                wheel.flange -= km * 0.0002 * random.nextDouble();
            }
        }
    }

    static final class Laser {
        private final Random random = new Random(3);

        Profile scan(Tram tram, int wheel, int day) {
            float[] heights = new float[96];
            double worn = 660 - tram.wheels[wheel].diameter;
            for (int i = 0; i < heights.length; i++) {
                heights[i] = (float) (Math.sin(i / 15.0) * 4 - worn / 20 + random.nextGaussian() * 0.05);
            }
            return new Profile(tram.number, wheel, day, heights);
        }
    }

    static final class History {
        private final Map<Integer, List<Profile>> byWheel = new HashMap<>();

        void append(Profile profile) {
            byWheel.computeIfAbsent(profile.tram * 100 + profile.wheel, key -> new ArrayList<>()).add(profile); // guilty
        }

        /** How much rougher it has become over the last measurements. */
        double trend(int tram, int wheel) {
            List<Profile> profiles = byWheel.getOrDefault(tram * 100 + wheel, Collections.emptyList());
            if (profiles.size() < 4) {
                return 0;
            }
            Profile last = profiles.get(profiles.size() - 1);
            Profile before = profiles.get(profiles.size() - 4);
            return last.roughness() - before.roughness();
        }
    }

    static final class Stock {
        private final Map<String, Integer> parts = new TreeMap<>();
        private int ordered;

        void take(String part) {
            int left = parts.merge(part, -1, Integer::sum);
            if (left < 5) {
                parts.merge(part, 40, Integer::sum);
                ordered++;
            }
        }
    }

    static final class Workshop {
        private final Stock stock = new Stock();
        private final Map<Integer, List<Integer>> plan = new TreeMap<>();
        private int turned;

        int book(Tram tram, int day) {
            int free = day + 1;
            while (plan.getOrDefault(free, List.of()).size() >= 3) {
                free++;
            }
            plan.computeIfAbsent(free, d -> new ArrayList<>()).add(tram.number);
            return free;
        }

        void repair(Tram tram) {
            for (int i = 0; i < tram.wheels.length; i++) {
                if (tram.wheels[i].worn()) {
                    tram.wheels[i] = new Wheel();
                    stock.take("wheel");
                } else {
                    tram.wheels[i].flange = Math.min(32, tram.wheels[i].flange + 2);
                    turned++;
                }
            }
            stock.take("sand");
        }

        void forget(int day) {
            plan.keySet().removeIf(d -> d < day);
        }
    }

    private final List<Tram> trams = new ArrayList<>();
    private final Laser laser = new Laser();
    private final History history = new History();
    private final Workshop workshop = new Workshop();
    private final Random random = new Random(8);
    private int repairs;

    Depot(int count) {
        for (int i = 0; i < count; i++) {
            trams.add(new Tram(400 + i));
        }
    }

    void day(int day) {
        for (Tram tram : trams) {
            if (tram.inWorkshopUntil == day) {
                workshop.repair(tram);
                tram.inWorkshopUntil = -1;
                repairs++;
            }
            tram.run(120 + random.nextInt(130), random);
            evening(tram, day);
        }
        workshop.forget(day);
    }

    private void evening(Tram tram, int day) {
        boolean rough = false;
        for (int wheel = 0; wheel < tram.wheels.length; wheel++) {
            history.append(laser.scan(tram, wheel, day));
            rough |= history.trend(tram.number, wheel) > 0.012 || tram.wheels[wheel].worn();
        }
        if (rough && tram.inWorkshopUntil < 0) {
            tram.inWorkshopUntil = workshop.book(tram, day);
        }
    }

    void report() {
        long kilometres = trams.stream().mapToLong(t -> t.kilometres).sum();
        System.out.println(kilometres + " km, " + repairs + " repairs, " + workshop.turned + " wheels turned, " + workshop.stock.ordered + " orders, " + workshop.stock.parts);
    }

    public static void main(String[] args) {
        Depot depot = new Depot(38);
        for (int day = 0; day < 260; day++) {
            depot.day(day);
        }
        depot.report();
    }
}
