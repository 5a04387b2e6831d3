// Plays quizzes in pubs: questions by subject, teams that answer from threads, a queue, scores, protests, and a table of the evening.
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

public class Quiz {
    record Question(int number, String subject, String text, String solution) {}

    record Answer(long round, int question, String team, String text, long millisecond) {
        static final Answer END = new Answer(-1, 0, "", "", 0);
    }

    static class Catalogue {
        private final List<Question> questions = new ArrayList<>();

        Catalogue(int count) {
            String[] subjects = {"rivers", "films", "chemistry", "football", "kings", "songs"};
            for (int i = 0; i < count; i++) {
                questions.add(new Question(i, subjects[i % 6], "What is number " + i + " of the " + subjects[i % 6] + "?", "answer " + i * 37 % 1000));
            }
        }

        Question get(int number) {
            return questions.get(number % questions.size());
        }
    }

    // How alike two answers are, by the steps from one to the other.
    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int k = 0; k <= b.length(); k++) {
            row[k] = k;
        }
        for (int i = 1; i <= a.length(); i++) {
            int corner = row[0];
            row[0] = i;
            for (int k = 1; k <= b.length(); k++) {
                int above = row[k];
                row[k] = Math.min(Math.min(row[k], row[k - 1]) + 1, corner + (a.charAt(i - 1) == b.charAt(k - 1) ? 0 : 1));
                corner = above;
            }
        }
        return row[b.length()];
    }

    static class Protests {
        private final Map<String, List<Answer>> byTeam = new ConcurrentHashMap<>();

        // A team may protest against what was ruled, as long as the evening goes on.
        void remember(Answer answer) {
            byTeam.computeIfAbsent(answer.team(), team -> new ArrayList<>()).add(answer); // guilty
        }

        Answer latest(String team) {
            List<Answer> answers = byTeam.getOrDefault(team, Collections.emptyList());
            return answers.isEmpty() ? null : answers.get(answers.size() - 1);
        }
    }

    static class Table {
        private final Map<String, Integer> points = new HashMap<>();
        private final Map<String, String> shown = new LinkedHashMap<>() {
            @Override protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
                return size() > 64;
            }
        };

        void score(Answer answer, int won) {
            points.merge(answer.team(), won, Integer::sum);
            shown.put(answer.team() + answer.question(), answer.text() + ": " + won);
        }

        String leader() {
            return Collections.max(points.entrySet(), Map.Entry.comparingByValue()).toString();
        }
    }

    static class Referee implements Runnable {
        private final BlockingQueue<Answer> queue;
        private final Catalogue catalogue;
        private final Protests protests;
        private final Table table = new Table();
        private int wrong;

        Referee(BlockingQueue<Answer> queue, Catalogue catalogue, Protests protests) {
            this.queue = queue;
            this.catalogue = catalogue;
            this.protests = protests;
        }

        @Override public void run() {
            try {
                for (Answer answer = queue.take(); answer != Answer.END; answer = queue.take()) {
                    rule(answer);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void rule(Answer answer) {
            String solution = catalogue.get(answer.question()).solution();
            int steps = distance(answer.text().toLowerCase(Locale.ROOT), solution);
            if (steps <= 1) {
                table.score(answer, 2 - steps);
                return;
            }
            wrong++;
            protests.remember(answer);
        }
    }

    static class Team implements Runnable {
        private final String name;
        private final Random random;
        private final Catalogue catalogue;
        private final BlockingQueue<Answer> queue;

        Team(String name, int seed, Catalogue catalogue, BlockingQueue<Answer> queue) {
            this.name = name;
            this.random = new Random(seed);
            this.catalogue = catalogue;
            this.queue = queue;
        }

        @Override public void run() {
            try {
                for (int i = 0; i < 60000; i++) {
                    Question question = catalogue.get(random.nextInt(5000));
                    queue.put(new Answer(i / 20, question.number(), name, guess(question), i * 900L));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private String guess(Question question) {
            return random.nextInt(3) == 0 ? question.solution().toUpperCase(Locale.ROOT) : "I think " + random.nextInt(1000) + " or " + question.subject();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Catalogue catalogue = new Catalogue(5000);
        BlockingQueue<Answer> queue = new ArrayBlockingQueue<>(256);
        Protests protests = new Protests();
        Referee referee = new Referee(queue, catalogue, protests);
        Thread ruling = new Thread(referee);
        ruling.start();
        List<Thread> teams = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            teams.add(new Thread(new Team("team " + (char) ('A' + i), i, catalogue, queue)));
        }
        teams.forEach(Thread::start);
        for (Thread team : teams) {
            team.join();
        }
        queue.put(Answer.END);
        ruling.join();
        System.out.println(referee.wrong + " wrong answers, the leader: " + referee.table.leader());
        System.out.println("the last of team C: " + protests.latest("team C"));
    }
}
