import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Sends booking requests to partners; each request is watched by a timeout. */
public class BookingGateway {
    static final class Booking {
        final long id;
        final String partner;
        final List<String> guests = new ArrayList<>();
        final byte[] document;

        Booking(long id, String partner, int guests, int documentSize) {
            this.id = id;
            this.partner = partner;
            for (int i = 0; i < guests; i++) this.guests.add("Guest " + i + " of booking " + id);
            this.document = new byte[documentSize];
        }
    }

    static final class InFlight {
        final Booking booking;
        final ScheduledFuture<?> timeout;

        InFlight(Booking booking, ScheduledFuture<?> timeout) {
            this.booking = booking;
            this.timeout = timeout;
        }
    }

    static final class Partner {
        private final String name;
        private final Deque<Long> answers = new ArrayDeque<>();
        private long sent;

        Partner(String name) { this.name = name; }

        void send(Booking b) {
            byte[] wire = encode(b);
            sent += wire.length;
            answers.add(b.id);
        }

        Long poll() { return answers.poll(); }

        private byte[] encode(Booking b) {
            StringBuilder s = new StringBuilder(name).append('|').append(b.id);
            for (String g : b.guests) s.append('|').append(g);
            return s.toString().getBytes();
        }
    }

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final Map<Long, InFlight> inFlight = new ConcurrentHashMap<>();
    private final Map<String, Partner> partners = new HashMap<>();
    private final AtomicLong expired = new AtomicLong();
    private final Map<String, List<InFlight>> settled = new HashMap<>();
    private long confirmed;

    BookingGateway() {
        timer.setRemoveOnCancelPolicy(true);
    }

    Partner partner(String name) {
        return partners.computeIfAbsent(name, Partner::new);
    }

    void submit(Booking b) {
        ScheduledFuture<?> t = timer.schedule(() -> expire(b), 20, TimeUnit.MINUTES);
        inFlight.put(b.id, new InFlight(b, t));
        partner(b.partner).send(b);
    }

    private void expire(Booking b) {
        if (inFlight.remove(b.id) != null) expired.incrementAndGet();
    }

    void confirm(long id) {
        InFlight f = inFlight.remove(id);
        if (f == null) return;
        f.timeout.cancel(false);
        confirmed++;
        settled.computeIfAbsent(f.booking.partner, k -> new ArrayList<>()).add(f); // guilty
    }

    int collectAnswers() {
        int n = 0;
        for (Partner p : partners.values()) {
            for (Long id = p.poll(); id != null; id = p.poll()) {
                confirm(id);
                n++;
            }
        }
        return n;
    }

    String status() {
        long bytes = 0;
        for (Partner p : partners.values()) bytes += p.sent;
        return "confirmed " + confirmed + " with " + settled.size() + " partners" + ", open " + inFlight.size() + ", expired " + expired + ", sent " + bytes;
    }

    void stop() { timer.shutdownNow(); }

    public static void main(String[] args) throws InterruptedException {
        BookingGateway gw = new BookingGateway();
        Random rnd = new Random(3);
        long id = 0;
        for (int round = 0; round < 600; round++) {
            for (int k = 0; k < 40; k++) {
                gw.submit(new Booking(++id, "partner-" + rnd.nextInt(15), 1 + rnd.nextInt(6), 500 + rnd.nextInt(3000)));
            }
            gw.collectAnswers();
            Thread.sleep(5);
        }
        System.out.println(gw.status());
        gw.stop();
    }
}
