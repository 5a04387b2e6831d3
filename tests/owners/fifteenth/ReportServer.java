import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.function.BiConsumer;

/** Generates reports on request; progress is published through a shared hub. */
public class ReportServer {
    interface ProgressListener { void progress(String phase, int percent); }

    static final class ProgressHub {
        private static final ProgressHub INSTANCE = new ProgressHub();
        private final List<ProgressListener> listeners = new ArrayList<>();
        static ProgressHub get() { return INSTANCE; }
        void addListener(ProgressListener l) { listeners.add(l); }
        void removeListener(ProgressListener l) { listeners.remove(l); }
        void publish(String phase, int percent) {
            for (ProgressListener l : listeners) l.progress(phase, percent);
        }
    }

    static final class Row {
        final String account;
        final long cents;
        Row(String account, long cents) { this.account = account; this.cents = cents; }
    }

    static final class AccountStore {
        private final Map<Integer, List<Row>> pages = new HashMap<>();
        List<Row> readPage(int n) {
            return pages.computeIfAbsent(n % 120, k -> {
                List<Row> rows = new ArrayList<>();
                for (int i = 0; i < 250; i++) rows.add(new Row("AC-" + k + "-" + i, (k * 7919L + i * 104729L) % 1000000));
                return rows;
            });
        }
    }

    static class Report {
        private final int id;
        private final AccountStore store;
        private StringBuilder text = new StringBuilder();
        private long total;

        Report(int id, AccountStore store) { this.id = id; this.store = store; }

        void trackProgress(ProgressHub hub) {
            final List<String> lines = new ArrayList<>();
            for (int i = 0; i < 150; i++) lines.add("report " + id + " step " + i + " waiting for data from store");
            hub.addListener(new ProgressListener() { // guilty
                @Override public void progress(String phase, int percent) {
                    lines.set(percent % lines.size(), phase);
                }
            });
        }

        byte[] build() {
            ProgressHub hub = ProgressHub.get();
            for (int part = 0; part < 5; part++) {
                for (Row r : store.readPage(id + part * 11)) {
                    if (r.cents % 5 == 0) text.append(r.account).append(';').append(r.cents).append('\n');
                    total += r.cents;
                }
            }
            hub.publish("done " + (id % 10), 100);
            text.append("total ").append(total);
            byte[] out = text.toString().getBytes(StandardCharsets.UTF_8);
            text = null;
            return out;
        }
    }

    static final class Outbox {
        private final ArrayDeque<byte[]> last = new ArrayDeque<>();
        private long bytes;
        void keepCopy(byte[] pdf) {
            bytes += pdf.length;
            last.addLast(pdf.clone());
            if (last.size() > 400) last.removeFirst();
        }
    }

    private final Map<String, BiConsumer<Integer, Outbox>> handlers = new LinkedHashMap<>();
    private final AccountStore store = new AccountStore();
    private int failures;

    ReportServer() {
        handlers.put("report", this::handleReport);
        handlers.put("ping", (id, out) -> { if (id < 0) failures++; });
    }

    private void handleReport(Integer id, Outbox out) {
        Report r = new Report(id, store);
        r.trackProgress(ProgressHub.get());
        out.keepCopy(r.build());
    }

    void request(String kind, int id, Outbox out) { handlers.get(kind).accept(id, out); }

    public static void main(String[] args) throws InterruptedException {
        ReportServer server = new ReportServer();
        Outbox out = new Outbox();
        int id = 0;
        for (int tick = 0; tick < 320; tick++) {
            for (int i = 0; i < 12; i++) server.request(i % 3 == 0 ? "ping" : "report", id++, out);
            Thread.sleep(9);
        }
        System.out.println("requests " + id + ", bytes " + out.bytes + ", failures " + server.failures);
    }
}
