import java.util.*;
import java.util.function.*;
public class Press {
    record Sheet(int number, byte[] ink) {}
    static class Printer {
        private int number;
        Sheet print() { number++; byte[] ink = new byte[2000 + number % 300]; Arrays.fill(ink, (byte) number); return new Sheet(number, ink); }
    }
    static class Proofs {
        private final Map<Integer, List<Sheet>> byDay = new TreeMap<>();
        void put(int day, Sheet sheet) {
            if (sheet.number() % 3 == 0) return;
            byDay.computeIfAbsent(day, d -> new ArrayList<>()).add(sheet); // guilty
        }
        int size() { return byDay.values().stream().mapToInt(List::size).sum(); }
    }
    static int smudges(Sheet sheet) { String text = new String(sheet.ink()); return text.indexOf('x'); }
    public static void main(String[] args) {
        Printer printer = new Printer();
        Proofs proofs = new Proofs();
        long smudges = 0;
        for (int day = 0; day < 300; day++) {
            for (int i = 0; i < 100; i++) {
                Sheet sheet = printer.print();
                smudges += smudges(sheet);
                proofs.put(day, sheet);
            }
        }
        System.out.println(smudges + " " + proofs.size());
    }
}
