import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;

/** Courier dispatch service: orders are routed by a pool of planners. */
public class Dispatch {
    static final class Leg {
        final int from, to;
        final double minutes;
        Leg(int from, int to, double minutes) { this.from = from; this.to = to; this.minutes = minutes; }
    }

    static final class Plan {
        final List<Leg> legs = new ArrayList<>();
        double total;
    }

    /** Depot pair plus vehicle class. */
    static final class RouteKey {
        final int from, to;
        final String vehicle;
        RouteKey(int from, int to, String vehicle) { this.from = from; this.to = to; this.vehicle = vehicle; }
        @Override public String toString() { return from + "->" + to + "/" + vehicle; }
    }

    static final class TravelTimes {
        private final Map<Integer, double[]> rows = new LinkedHashMap<>(16, 0.75f, true) {
            @Override protected boolean removeEldestEntry(Map.Entry<Integer, double[]> e) { return size() > 300; }
        };
        synchronized double[] loadRow(int depot) {
            double[] r = rows.get(depot);
            if (r == null) {
                r = new double[1200];
                for (int i = 0; i < r.length; i++) r[i] = 5 + Math.abs(Math.sin(depot * 31 + i)) * 40;
                rows.put(depot, r);
            }
            return r;
        }
    }

    static final class Planner {
        private final TravelTimes times = new TravelTimes();
        private final Map<RouteKey, Plan> known = new ConcurrentHashMap<>();
        final AtomicLong computed = new AtomicLong();

        Plan routeFor(int from, int to, String vehicle) {
            RouteKey key = new RouteKey(from, to, vehicle);
            Plan p = known.get(key);
            if (p == null) {
                p = search(from, to, vehicle.length());
                computed.incrementAndGet();
                known.put(key, p); // guilty
            }
            return p;
        }

        private Plan search(int from, int to, int salt) {
            Plan p = new Plan();
            int at = from;
            for (int hop = 0; hop < 40; hop++) {
                double[] row = times.loadRow(at);
                int best = 0;
                for (int i = 0; i < 20; i++) {
                    int c = (at * 7 + hop * 13 + i * 29 + salt) % 250;
                    if (row[c] < row[best]) best = c;
                }
                p.legs.add(new Leg(at, best, row[best]));
                p.total += row[best];
                at = (best + to) % 250;
            }
            return p;
        }
    }

    static final class Order {
        final int id, from, to;
        final String vehicle;
        final List<String> parcels = new ArrayList<>();
        Order(int id, Random r) {
            this.id = id;
            from = r.nextInt(60);
            to = r.nextInt(60);
            vehicle = new String[] {"bike", "van", "truck"}[r.nextInt(3)];
            for (int i = 0; i < 20; i++) parcels.add("parcel-" + id + "-" + i);
        }
    }

    private final Planner planner = new Planner();
    private final Deque<String> board = new ArrayDeque<>();

    synchronized void announce(Order o, Plan p) {
        board.addLast("order " + o.id + " " + o.parcels.size() + " parcels, eta " + Math.round(p.total) + " min ".repeat(6));
        while (board.size() > 10000) board.removeFirst();
    }

    void assign(Order o) {
        Plan p = planner.routeFor(o.from, o.to, o.vehicle);
        announce(o, p);
    }

    public static void main(String[] args) throws Exception {
        Dispatch d = new Dispatch();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Random r = new Random(5);
        int id = 0;
        for (int tick = 0; tick < 340; tick++) {
            List<Future<?>> fs = new ArrayList<>();
            for (int i = 0; i < 90; i++) {
                Order o = new Order(id++, r);
                fs.add(pool.submit(() -> d.assign(o)));
            }
            for (Future<?> f : fs) f.get();
            Thread.sleep(8);
        }
        pool.shutdown();
        System.out.println("orders " + id + ", routes computed " + d.planner.computed.get());
    }
}
