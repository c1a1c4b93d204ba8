package org.dunlin;

import java.lang.foreign.Arena;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Native;
import org.dunlin.internal.Struct;
import org.dunlin.internal.Structs;
import org.dunlin.internal.Times;

/**
 * Settings of a participant that are no QoS. What is {@code null} has its default.
 */
public final class ParticipantConfig {
    /** How receivers wait. */
    public enum Waiting {
        /** They spin for a moment, then sleep. */
        SPIN_THEN_BLOCK,
        /** They sleep. */
        BLOCK,
        /** They spin for ever: one processor is always busy. */
        SPIN
    }

    /** How receivers wait. */
    public Waiting waiting;
    /** How long {@link Waiting#SPIN_THEN_BLOCK} spins. */
    public Duration spin;
    /** Name that others see. */
    public String name;
    /** Only these interfaces, by name or address; none means all. */
    public List<String> interfaces = new ArrayList<>();
    /** Where to announce besides multicast. */
    public List<String> peers = new ArrayList<>();
    /** Silence longer than this means that the participant is gone. */
    public Duration leaseDuration;
    /** Longest time between two announcements. */
    public Duration announcePeriod;
    /** How often a writer asks silent readers what they have. */
    public Duration heartbeatPeriod;
    /** How long a deleted writer waits for acknowledgements. */
    public Duration linger;
    /** The largest sample that its readers take, in bytes. */
    public Integer maxSampleSize;
    /** Joins the domain at once; otherwise by {@link Entity#enable}. */
    public Boolean enabled;
    /** Announces and listens at the group that the standard gives. */
    public Boolean multicast;
    /** Uses UDP. */
    public Boolean udp;
    /** Uses shared memory. */
    public Boolean sharedMemory;
    /** Uses TCP, and nothing else. */
    public Boolean tcp;
    /** The port that TCP listens at; 0 for none. */
    public Integer tcpPort;
    /** Where TCP finds it behind a translator of addresses: an IPv4 address and a port. */
    public InetSocketAddress tcpPublicAddress;
    /** TLS for TCP: file of the authorities' certificates, in PEM. All three or none. */
    public String tlsAuthorities;
    /** TLS for TCP: file of the own certificates. */
    public String tlsCertificates;
    /** TLS for TCP: file of the private key. */
    public String tlsKey;
    /** Hands samples over within the process. */
    public Boolean local;

    /** The default settings. */
    public ParticipantConfig() {
    }

    long struct(Arena arena) {
        Struct of = Structs.CONFIG;
        // The class is loaded first, for it learns how large the structure is.
        Native.check(Native.OK);
        long at = arena.allocate(of.room(), 8).address();
        Memory.putInt(at, of.room());
        Native.check(Native.call(Native.CONFIG_DEFAULT, at));
        if (waiting != null) {
            Memory.putInt(at + of.at("waiting"), waiting.ordinal());
        }
        text(arena, at + of.at("name"), name);
        texts(arena, at + of.at("interfaces"), interfaces);
        texts(arena, at + of.at("peers"), peers);
        text(arena, at + of.at("tls_authorities"), tlsAuthorities);
        text(arena, at + of.at("tls_certificates"), tlsCertificates);
        text(arena, at + of.at("tls_key"), tlsKey);
        duration(at + of.at("spin"), spin);
        duration(at + of.at("lease_duration"), leaseDuration);
        duration(at + of.at("announce_period"), announcePeriod);
        duration(at + of.at("heartbeat_period"), heartbeatPeriod);
        duration(at + of.at("linger"), linger);
        if (maxSampleSize != null) {
            Memory.putInt(at + of.at("max_sample_size"), maxSampleSize);
        }
        if (tcpPort != null) {
            Memory.putShort(at + of.at("tcp_port"), tcpPort.shortValue());
        }
        if (tcpPublicAddress != null) {
            Memory.putInt(at + of.at("tcp_public_address"), ipv4(tcpPublicAddress));
            Memory.putShort(at + of.at("tcp_public_port"), (short) tcpPublicAddress.getPort());
        }
        flag(at + of.at("enabled"), enabled);
        flag(at + of.at("multicast"), multicast);
        flag(at + of.at("udp"), udp);
        flag(at + of.at("shmem"), sharedMemory);
        flag(at + of.at("tcp"), tcp);
        flag(at + of.at("local"), local);
        return at;
    }

    private static int ipv4(InetSocketAddress of) {
        if (!(of.getAddress() instanceof Inet4Address address)) {
            throw new DdsException.BadParameter(
                    "tcpPublicAddress is " + of + ": it has to be an IPv4 address, which names are resolved to");
        }
        return ByteBuffer.wrap(address.getAddress()).getInt();
    }

    private static void text(Arena arena, long at, String value) {
        if (value != null) {
            Native.putText(arena, at, value);
        }
    }

    private static void texts(Arena arena, long at, List<String> value) {
        if (!value.isEmpty()) {
            Memory.putLong(at, Native.texts(arena, value));
            Memory.putLong(at + 8, value.size());
        }
    }

    private static void duration(long at, Duration value) {
        if (value != null) {
            Memory.putLong(at, Times.nanos(value));
        }
    }

    private static void flag(long at, Boolean value) {
        if (value != null) {
            Memory.putByte(at, (byte) (value ? 1 : 0));
        }
    }
}
