import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The barriers and pay stations of a car park: tickets are drawn, paid and taken at the exit. */
public class Parking {
    static final class Payment {
        final long time;
        final int cents;
        final String card;

        Payment(long time, int cents, String card) {
            this.time = time;
            this.cents = cents;
            this.card = card;
        }
    }

    static final class Ticket {
        final long number;
        final long entered;
        final String plate;
        final byte[] photo;
        final List<Payment> payments = new ArrayList<>(2);
        boolean left;

        Ticket(long number, long entered, String plate, byte[] photo) {
            this.number = number;
            this.entered = entered;
            this.plate = plate;
            this.photo = photo;
        }
    }

    static final class Camera {
        private final Random random = new Random(3);

        byte[] photograph() {
            byte[] photo = new byte[600];
            random.nextBytes(photo);
            return photo;
        }

        String plate() {
            return "B-" + (char) ('A' + random.nextInt(26)) + (char) ('A' + random.nextInt(26)) + " " + (1000 + random.nextInt(9000));
        }
    }

    static final class Tariff {
        int cents(long entered, long now) {
            long hours = Duration.ofSeconds(now - entered).plusMinutes(59).toHours();
            return (int) Math.min(2000, Math.max(1, hours) * 250);
        }
    }

    static final class Garage {
        private final Map<Long, Ticket> tickets = new HashMap<>();
        private final Tariff tariff = new Tariff();
        private final int places;
        private int inside;
        private long nextNumber = 1;
        long takings;
        int refused;

        Garage(int places) {
            this.places = places;
        }

        Long enter(Camera camera, long now) {
            if (inside >= places) {
                refused++;
                return null;
            }
            Ticket ticket = new Ticket(nextNumber++, now, camera.plate(), camera.photograph());
            tickets.put(ticket.number, ticket); // guilty
            inside++;
            return ticket.number;
        }

        void pay(long number, long now) {
            Ticket ticket = tickets.get(number);
            int cents = tariff.cents(ticket.entered, now);
            ticket.payments.add(new Payment(now, cents, now % 3 == 0 ? null : "card " + number % 9973));
            takings += cents;
        }

        boolean leave(long number, String plate) {
            Ticket ticket = tickets.get(number);
            if (ticket == null || ticket.left || ticket.payments.isEmpty() || !ticket.plate.equals(plate)) {
                return false;
            }
            ticket.left = true;
            inside--;
            return true;
        }

        String plateOf(long number) {
            return tickets.get(number).plate;
        }

        String display() {
            StringBuilder text = new StringBuilder();
            text.append(places - inside).append(" of ").append(places).append(" places free");
            return text.toString();
        }
    }

    private static int lengthOfDisplays;

    static void day(Garage garage, Camera camera, Random random, Deque<Long> inside, int day) {
        for (int minute = 0; minute < 1440; minute++) {
            long now = (day * 1440L + minute) * 60;
            for (int car = random.nextInt(4); car > 0; car--) {
                Long number = garage.enter(camera, now);
                if (number != null) {
                    inside.addLast(number);
                }
            }
            for (int car = random.nextInt(4); car > 0 && inside.size() > 40; car--) {
                long number = inside.removeFirst();
                garage.pay(number, now);
                if (!garage.leave(number, garage.plateOf(number))) {
                    inside.addLast(number);
                }
            }
            lengthOfDisplays += garage.display().length();
        }
    }

    public static void main(String[] args) {
        Garage garage = new Garage(900);
        Camera camera = new Camera();
        Deque<Long> inside = new ArrayDeque<>();
        Random random = new Random(8);
        for (int day = 0; day < 21; day++) {
            day(garage, camera, random, inside, day);
        }
        System.out.println(garage.display() + ", " + garage.takings / 100 + " taken, " + garage.refused + " refused, " + lengthOfDisplays);
    }
}
