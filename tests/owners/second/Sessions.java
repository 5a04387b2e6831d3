// Objects on the heap of Java, kept in a map.
import java.util.HashMap;
import java.util.Map;

public class Sessions {
    static final Map<Integer, byte[]> kept = new HashMap<>();

    static String[] settings() {
        String[] all = new String[1000];
        for (int number = 0; number < all.length; number++)
            all[number] = "setting " + number;
        return all;
    }

    static void login(int number) {
        kept.put(number, new byte[1000]); // guilty
    }

    public static void main(String[] arguments) {
        settings();
        for (int number = 0; number < 60000; number++)
            login(number);
        Runtime.getRuntime().halt(0);
    }
}
