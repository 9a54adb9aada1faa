import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The device's half behind Java and Kotlin. A collection is fixed and public, and threads may share it. */
public final class Podium {
    static {
        System.loadLibrary("podium_jni");
    }

    /** The bytes of a podium_collection, outside of the Java heap, so that they do not move. */
    private final ByteBuffer collection = ByteBuffer.allocateDirect(4096);

    public Podium(String question) {
        parse(collection, question.getBytes(StandardCharsets.UTF_8));
    }

    /** Turns a value into a code, which may leave the device. */
    public byte[] code(double value) {
        return code(collection, value);
    }

    private static native void parse(ByteBuffer collection, byte[] question);

    private static native byte[] code(ByteBuffer collection, double value);

    public static void main(String[] arguments) {
        Podium age = new Podium("minimax epsilon=1 range=1:120");
        StringBuilder sent = new StringBuilder();
        for (double value : new double[] {23, 45, 67, 34, 51, 18, 72, 40})
            for (byte part : age.code(value))
                sent.append(String.format("%02x", part));
        System.out.println(sent);
    }
}
