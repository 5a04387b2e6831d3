import java.util.ArrayList;
import java.util.List;

/** Keeps objects, drops others, and ends as it is told: `java JavaObjects KEPT DROPPED END`. */
public class JavaObjects {
    static final List<byte[]> cart = new ArrayList<>();
    static volatile byte[] last;

    static void addToCart() {
        cart.add(new byte[10000]);
    }

    static void browse() {
        last = new byte[10000];
    }

    static void end(String how) throws Exception {
        switch (how) {
            case "exit" -> System.exit(7);
            case "halt" -> Runtime.getRuntime().halt(8);
            case "throw" -> throw new IllegalStateException("thrown");
            case "threads" -> {
                for (int i = 0; i < 4; i++)
                    new Thread(() -> { while (true) browse(); }).start();
                Thread.sleep(50);
                System.exit(9);
            }
            default -> {}
        }
    }

    public static void main(String[] words) throws Exception {
        int kept = Integer.parseInt(words[0]), dropped = Integer.parseInt(words[1]);
        for (int i = 0; i < kept; i++)
            addToCart();
        for (int i = 0; i < dropped; i++)
            browse();
        if (kept + dropped > 0) {
            last = null;
            System.gc();
            Thread.sleep(500); // for the virtual machine to say what it freed
        }
        end(words[2]);
    }
}
