import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** Runs each public static method without parameters of the classes of tests. */
final class Tests {
    private static final Class<?>[] ALL = {EntityTests.class, LookupTests.class, SampleTests.class, OctetsTests.class,
        ListenerTests.class, DiscoveryTests.class, LoanTests.class, InPlaceTests.class,
        MisuseTests.class, AllocationTests.class, EndTests.class};
    /** Those that write what is no value. */
    private static final Class<?>[] UNCHECKED = {MalformedTests.class};

    private Tests() {
    }

    public static void main(String[] words) throws Exception {
        int passed = 0;
        int failed = 0;
        boolean isChecked = "1".equals(System.getenv("DUNLIN_CHECK_PAYLOADS"));
        for (Class<?> of : isChecked ? ALL : UNCHECKED) {
            for (Method test : of.getDeclaredMethods()) {
                if (!Modifier.isPublic(test.getModifiers()) || test.getParameterCount() != 0
                        || words.length > 0 && !test.getName().contains(words[0])) {
                    continue;
                }
                try {
                    test.invoke(null);
                    passed++;
                } catch (InvocationTargetException error) {
                    failed++;
                    System.err.println("FAILED " + of.getSimpleName() + "." + test.getName());
                    error.getCause().printStackTrace();
                }
            }
        }
        System.out.println("java: " + passed + " tests passed, " + failed + " failed");
        // Threads of a test that failed may still run.
        System.exit(failed == 0 ? 0 : 1);
    }
}
