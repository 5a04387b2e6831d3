import java.util.*;
import java.util.concurrent.*;
public class Ferry {
    static final class Ticket {
        final String name; final long[] stamps = new long[60];
        Ticket(String name, int n) { this.name = name; stamps[n % 60] = n; }
    }
    static final class Desk {
        Ticket issue(int n) { return new Ticket("passenger " + n + " of the morning ferry", n); }
    }
    static final class Ledger {
        private final List<Ticket> used = new ArrayList<>();
        synchronized void stamp(Ticket ticket) { if (ticket.name.length() > 5) used.add(ticket); } // guilty
        synchronized int size() { return used.size(); }
    }
    public static void main(String[] args) throws Exception {
        Desk desk = new Desk();
        Ledger ledger = new Ledger();
        ExecutorService pool = Executors.newFixedThreadPool(3);
        long waste = 0;
        for (int day = 0; day < 60; day++) {
            List<Future<Ticket>> tickets = new ArrayList<>();
            for (int i = 0; i < 1500; i++) { final int n = day * 1500 + i; tickets.add(pool.submit(() -> desk.issue(n))); }
            for (Future<Ticket> t : tickets) ledger.stamp(t.get());
            for (int i = 0; i < 3000; i++) waste += desk.issue(i).stamps.length;
        }
        pool.shutdown();
        System.out.println(waste + " " + ledger.size());
    }
}
