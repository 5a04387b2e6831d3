import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Handles claims of an insurance: intake, documents, assessment by rules, payments, and letters. */
public class Claims {
    enum Status { OPEN, WAITING, ACCEPTED, DECLINED }

    record Document(String name, byte[] scan) {}

    static final class Claim {
        final int number;
        final String policy;
        final String kind;
        final int cents;
        final List<Document> documents = new ArrayList<>();
        Status status = Status.OPEN;
        String reason = "";

        Claim(int number, String policy, String kind, int cents) {
            this.number = number;
            this.policy = policy;
            this.kind = kind;
            this.cents = cents;
        }

        boolean complete() {
            return documents.size() >= (kind.equals("theft") ? 3 : 2);
        }
    }

    /** The post of the day as the scanners deliver it. */
    static final class Post {
        private static final String[] KINDS = {"water", "fire", "theft", "storm", "glass"};
        private final Random random = new Random(12);
        private int number;

        Claim claim() {
            number++;
            return new Claim(number, "P" + random.nextInt(4000), KINDS[random.nextInt(KINDS.length)], 5000 + random.nextInt(900000));
        }

        Document document(Claim claim) {
            byte[] scan = new byte[800 + random.nextInt(2400)];
            for (int i = 0; i < scan.length; i++) {
                scan[i] = (byte) (claim.number * 31 + i);
            }
            return new Document(claim.kind + "-" + random.nextInt(5) + ".tif", scan);
        }

        boolean chance(int percent) {
            return random.nextInt(100) < percent;
        }
    }

    static final class Policies {
        private final Map<String, Integer> limits = new HashMap<>();

        int limit(String policy) {
            return limits.computeIfAbsent(policy, p -> 200000 + p.hashCode() % 97 * 9000);
        }
    }

    static final class Assessor {
        private final Policies policies;

        Assessor(Policies policies) {
            this.policies = policies;
        }

        Status judge(Claim claim) {
            int limit = policies.limit(claim.policy);
            if (!claim.complete()) {
                return Status.WAITING;
            }
            if (claim.cents > 3 * limit) {
                claim.reason = "more than three times the limit";
                return Status.DECLINED;
            }
            long dark = 0;
            for (Document document : claim.documents) {
                for (byte b : document.scan()) {
                    dark += b < 0 ? 1 : 0;
                }
            }
            claim.reason = dark % 23 == 0 ? "papers cannot be read" : "as insured";
            return dark % 23 == 0 ? Status.DECLINED : Status.ACCEPTED;
        }
    }

    /** All claims, by their number and by the policy. */
    static final class Cabinet {
        private final Map<Integer, Claim> byNumber = new HashMap<>();
        private final Map<String, List<Claim>> byPolicy = new HashMap<>();

        void file(Claim claim) {
            byNumber.put(claim.number, claim);
            byPolicy.computeIfAbsent(claim.policy, p -> new ArrayList<>()).add(claim);
        }

        void attach(int number, Document document) {
            Claim claim = byNumber.get(number);
            if (claim != null) {
                claim.documents.add(document); // guilty
            }
        }

        Claim claim(int number) {
            return byNumber.get(number);
        }

        String busiest() {
            return byPolicy.entrySet().stream().max(Comparator.comparingInt(e -> e.getValue().size())).map(Map.Entry::getKey).orElse("none");
        }
    }

    static final class Office {
        private final Post post = new Post();
        private final Cabinet cabinet = new Cabinet();
        private final Assessor assessor = new Assessor(new Policies());
        private final Deque<Integer> desk = new ArrayDeque<>();
        private final Map<Status, Integer> counts = new EnumMap<>(Status.class);
        private long paid;
        private long letters;

        void morning(int claims) {
            for (int i = 0; i < claims; i++) {
                Claim claim = post.claim();
                cabinet.file(claim);
                cabinet.attach(claim.number, post.document(claim));
                desk.add(claim.number);
            }
        }

        void afternoon() {
            for (int n = desk.size(); n > 0; n--) {
                int number = desk.poll();
                if (post.chance(80)) {
                    cabinet.attach(number, post.document(cabinet.claim(number)));
                }
                decide(number);
            }
        }

        private void decide(int number) {
            Claim claim = cabinet.claim(number);
            claim.status = assessor.judge(claim);
            if (claim.status == Status.WAITING) {
                desk.add(number);
                return;
            }
            counts.merge(claim.status, 1, Integer::sum);
            if (claim.status == Status.ACCEPTED) {
                paid += claim.cents;
            }
            letters += letter(claim).length();
        }

        private String letter(Claim claim) {
            StringBuilder text = new StringBuilder("Claim ").append(claim.number).append(", ").append(claim.kind).append(": ");
            text.append(claim.status).append(", ").append(claim.reason).append('\n');
            for (Document document : claim.documents) {
                text.append("  we received ").append(document.name()).append('\n');
            }
            return text.toString();
        }

        void report() {
            System.out.println(counts + ", " + paid / 100 + " paid, " + letters + " letters of text, " + desk.size() + " on the desk, most of " + cabinet.busiest());
        }
    }

    public static void main(String[] args) {
        Office office = new Office();
        for (int day = 0; day < 130; day++) {
            office.morning(70);
            office.afternoon();
        }
        office.report();
    }
}
