package org.dunlin.internal;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** Finds libdunlin: the environment says where, a folder of java.library.path has it, or this jar. */
final class Library {
    private static final String FILE = "libdunlin.so";

    private Library() {
    }

    @SuppressWarnings("restricted")
    static SymbolLookup load() {
        Path path = find();
        try {
            return SymbolLookup.libraryLookup(path, Arena.global());
        } catch (IllegalArgumentException error) {
            throw new UnsatisfiedLinkError(
                    "the Dunlin library " + path + " cannot be loaded on " + platform() + ": " + error.getMessage());
        }
    }

    private static Path find() {
        List<String> tried = new ArrayList<>();
        String named = System.getenv("DUNLIN_LIBRARY");
        if (named != null && !named.isEmpty()) {
            Path path = Files.isDirectory(Path.of(named)) ? in(named) : Path.of(named);
            if (path != null && Files.isRegularFile(path)) {
                return path.toAbsolutePath();
            }
            throw new UnsatisfiedLinkError("DUNLIN_LIBRARY is " + named + ", which is neither a file nor a folder with "
                    + FILE);
        }
        for (String folder : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
            Path path = folder.isEmpty() ? null : in(folder);
            if (path != null) {
                return path.toAbsolutePath();
            }
            tried.add(folder);
        }
        Path unpacked = unpack();
        if (unpacked != null) {
            return unpacked;
        }
        throw new UnsatisfiedLinkError("there is no " + FILE + " in the folders of java.library.path " + tried
                + ", and this jar has none for " + platform() + ": set DUNLIN_LIBRARY to its path");
    }

    /** The library in a folder; null if it is not there. */
    private static Path in(String folder) {
        for (String name : new String[] {FILE, FILE + ".0"}) {
            Path path = Path.of(folder, name);
            if (Files.isRegularFile(path)) {
                return path;
            }
        }
        return null;
    }

    private static String platform() {
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        return System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-" + machine;
    }

    /** The library of this jar as a file, in a folder that is named by its hash; null if there is none. */
    private static Path unpack() {
        try {
            String hash = hash(resource());
            if (hash == null) {
                return null;
            }
            String user = System.getProperty("user.name");
            Path folder = Path.of(System.getProperty("java.io.tmpdir"), "dunlin-" + user, hash.substring(0, 32));
            Path path = folder.resolve(FILE);
            if (Files.isRegularFile(path) && isOurs(path, user) && hash.equals(hash(Files.newInputStream(path)))) {
                return path;
            }
            var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
            Files.createDirectories(folder, owner);
            if (!isOurs(folder, user) || !isOurs(folder.getParent(), user)) {
                // Somebody else was there first, and could change what is loaded.
                folder = Files.createTempDirectory("dunlin-", owner);
                path = folder.resolve(FILE);
            }
            Path fresh = Files.createTempFile(folder, "libdunlin", ".so");
            try (InputStream stream = resource()) {
                Files.copy(stream, fresh, StandardCopyOption.REPLACE_EXISTING);
            }
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
            return path;
        } catch (IOException error) {
            throw unpackFailed(error);
        }
    }

    private static InputStream resource() {
        return Library.class.getResourceAsStream("/native/" + platform() + "/" + FILE);
    }

    private static boolean isOurs(Path path, String user) throws IOException {
        return Files.getOwner(path).getName().equals(user);
    }

    /** The hash of a stream, piece by piece: the library may be larger than the heap. */
    private static String hash(InputStream of) throws IOException {
        if (of == null) {
            return null;
        }
        try (InputStream stream = of) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] piece = new byte[1 << 16];
            for (int count = stream.read(piece); count >= 0; count = stream.read(piece)) {
                digest.update(piece, 0, count);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    private static UnsatisfiedLinkError unpackFailed(IOException error) {
        return new UnsatisfiedLinkError("the Dunlin library of the jar cannot be unpacked into "
                + System.getProperty("java.io.tmpdir") + ": " + error + ". Set DUNLIN_LIBRARY to the path of one");
    }
}
