import java.util.*;
import java.util.stream.*;
public class Diary {
    interface Visitor { void visit(Entry e); }
    static abstract class Entry { final String text; Entry(String text) { this.text = text; } abstract void accept(Visitor v); }
    static class Meal extends Entry { Meal(String t) { super(t); } void accept(Visitor v) { v.visit(this); } }
    static class Walk extends Entry { Walk(String t) { super(t); } void accept(Visitor v) { v.visit(this); } }
    static class Index implements Visitor {
        private final Map<String, Set<Entry>> words = new HashMap<>();
        public void visit(Entry e) {
            for (String w : e.text.split(" "))
                words.computeIfAbsent(w, k -> new HashSet<>()).add(e); // guilty
        }
        int size() { return words.size(); }
    }
    static Entry write(int n) {
        String text = IntStream.range(0, 8).mapToObj(i -> "word" + (n * 31 + i * 17)).collect(Collectors.joining(" "));
        return n % 2 == 0 ? new Meal(text) : new Walk(text);
    }
    public static void main(String[] args) {
        Index index = new Index();
        int length = 0;
        for (int n = 0; n < 40000; n++) {
            Entry e = write(n);
            length += write(n + 1).text.length();
            e.accept(index);
        }
        System.out.println(index.size() + " " + length);
    }
}
