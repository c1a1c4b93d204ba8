/** Dunlin: DDS with the lowest latency that the machine allows. */
module org.dunlin {
    exports org.dunlin;
    exports org.dunlin.discovery;
    exports org.dunlin.qos;
    exports org.dunlin.status;
    exports org.dunlin.type;
}
