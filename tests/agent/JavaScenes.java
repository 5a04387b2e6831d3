import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import sun.misc.Unsafe;

/**
 * Allocates at known stacks of Java, and prints what the virtual machine says of each: one JSON list a line, of the size of the
 * block and the frames as [method, file, line], innermost first. Usage: JavaScenes SCENE...
 */
public class JavaScenes {
    private static final Unsafe unsafe = unsafe();
    private static final List<String> told = new ArrayList<>();
    private static long size = 200000;

    private static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String frameOf(StackTraceElement e) {
        String folder = e.getClassName().replace('.', '/');
        folder = folder.substring(0, folder.lastIndexOf('/') + 1);
        String file = e.getFileName() != null ? folder + e.getFileName() : "";
        return "[\"" + e.getClassName() + "." + e.getMethodName() + "\", \"" + file + "\", " + Math.max(e.getLineNumber(), 0) + "]";
    }

    /** Both stand in one line, which is that of both frames. */
    private static synchronized void both() {
        long bytes = size += 8;
        StackTraceElement[] frames = new Throwable().getStackTrace(); long block = unsafe.allocateMemory(bytes);
        StringBuilder line = new StringBuilder("[" + bytes + ", [");
        for (int i = 0; i < frames.length; i++)
            line.append(i == 0 ? "" : ", ").append(frameOf(frames[i]));
        told.add(line.append("]]").toString());
        if (block == 0)
            throw new OutOfMemoryError();
    }

    private int counted;

    JavaScenes(int counted) {
        this.counted = counted;
        both();
    }

    private void method() {
        both();
    }

    private static void recurse(int depth) {
        if (depth == 0)
            both();
        else
            recurse(depth - 1);
    }

    private static long total(int a, long b, double c, Object d, int e, int f, int g, long h, double i, String j) {
        both();
        return a + b + (long) c + e + f + g + h + (long) i + j.length();
    }

    interface Shape {
        void draw();

        default void twice() {
            draw();
            draw();
        }
    }

    static class Round implements Shape {
        public void draw() {
            both();
        }
    }

    static class Square extends Round {
        @Override
        public void draw() {
            super.draw();
        }
    }

    /** The initializer of a class: the virtual machine calls Java in the midst of Java. */
    static class Late {
        static final int ready = begin();

        static int begin() {
            both();
            return 1;
        }
    }

    enum Kind {
        A { void act() { both(); } }, B { void act() { A.act(); } };

        abstract void act();
    }

    private static void plain() {
        both();
        new JavaScenes(3).method();
        recurse(30);
        if (total(1, 2, 3.0, null, 5, 6, 7, 8, 9.0, "ten") == 0)
            both();
        new Round().twice();
        new Square().twice();
        for (Kind kind : Kind.values())
            kind.act();
        String joined = "a" + size;
        switch (joined.length()) {
        case 0: recurse(1); break;
        default:
            recurse(2);
        }
        try {
            both();
            throw new IllegalStateException();
        } catch (IllegalStateException e) {
            both();
        } finally {
            both();
        }
        synchronized (joined) {
            both();
        }
    }

    private static void callbacks() {
        Runnable lambda = () -> both();
        lambda.run();
        IntConsumer reference = JavaScenes::recurse;
        reference.accept(3);
        List.of(1, 2, 3).forEach(i -> recurse(i));
        Integer[] numbers = {3, 1, 2};
        Arrays.sort(numbers, (a, b) -> { both(); return a - b; });
        Arrays.sort(numbers, new Comparator<Integer>() {
            @Override
            public int compare(Integer a, Integer b) {
                both();
                return b - a;
            }
        });
        IntStream.range(0, 3).map(i -> i + 1).forEach(i -> recurse(i));
        new Object() {
            void inner() {
                both();
            }
        }.inner();
    }

    private static void reflected() throws Exception {
        Method method = JavaScenes.class.getDeclaredMethod("recurse", int.class);
        for (int i = 0; i < 20; i++) // native code calls it at first, then generated code
            method.invoke(null, i % 3);
        if (Late.ready != 1)
            throw new IllegalStateException();
        JavaScenes.class.getDeclaredConstructor(int.class).newInstance(4);
    }

    private static void step(int i) {
        if (i % 500 == 0)
            leaf(i);
    }

    private static void leaf(int i) {
        both();
    }

    private static void hot() {
        for (int i = 0; i < 60000; i++)
            step(i);
        Shape[] shapes = {new Round(), new Square()};
        for (int i = 0; i < 40; i++)
            shapes[i % 2].twice();
    }

    private static void collecting() {
        List<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            for (int k = 0; k < 200; k++)
                kept.add(new byte[2000]);
            if (i % 10 == 9) {
                kept.clear();
                System.gc();
            }
            recurse(i % 7);
        }
    }

    abstract static class Base {
        abstract int go(int depth);
    }

    static class First extends Base {
        int go(int depth) {
            if (depth == 0) {
                if (isLast)
                    load();
                return 0;
            }
            return next(this, depth) + 1;
        }
    }

    static class Second extends Base {
        int go(int depth) {
            return depth;
        }
    }

    private static boolean isLast;

    private static int next(Base base, int depth) {
        return base.go(depth - 1);
    }

    private static void load() {
        if (new Second().go(1) != 1)
            throw new IllegalStateException();
        both();
    }

    /** Code that relied on there being no second class is given up while it is on the stack. */
    private static void given_up() {
        Base base = new First();
        for (int i = 0; i < 50000; i++)
            next(base, 1 + i % 30);
        isLast = true;
        next(base, 20);
    }

    private static void deep() {
        recurse(700);
    }

    private static void threads() throws Exception {
        Thread[] all = new Thread[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> { for (int k = 0; k < 5; k++) recurse(k); });
            all[i].start();
        }
        for (Thread thread : all)
            thread.join();
    }

    public static void main(String[] scenes) throws Exception {
        for (String scene : scenes) {
            switch (scene) {
            case "plain": plain(); break;
            case "callbacks": callbacks(); break;
            case "reflected": reflected(); break;
            case "hot": hot(); break;
            case "collecting": collecting(); break;
            case "given_up": given_up(); break;
            case "deep": deep(); break;
            case "threads": threads(); break;
            default: throw new IllegalArgumentException(scene);
            }
        }
        System.out.println(String.join("\n", told));
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
