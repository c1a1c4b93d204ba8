/*
 * `ranges write` writes levels of a tank, `ranges read` takes those that are in their range. What
 * it is compiled with says whether either looks at ranges.
 */
#define CHECK_TYPES "tank.h"
#include "check.h"

static void write_levels(void) {
    static const int32_t levels[] = {50, 101, 60, -1, 70};
    char name[] = "north";
    Tanks_Tank tank;
    dunlin_topic topic;
    dunlin_writer writer;
    const dunlin_writer_qos kept = writing(DUNLIN_XCDR2);
    size_t i;
    memset(&tank, 0, sizeof tank);
    tank.id = 7;
    tank.name = name;
    OK(Tanks_Tank_topic(participant, "Tanks", NULL, &topic));
    OK(Tanks_Tank_writer(participant, topic, &kept, NULL, &writer));
    OK(dunlin_writer_wait_for_matched(writer, 1, 20 * DUNLIN_SECOND));
    for (i = 0; i < sizeof levels / sizeof *levels; i++) {
        tank.level = levels[i];
        OK(Tanks_Tank_write(writer, &tank, NULL));
    }
    OK(dunlin_writer_wait_for_acknowledgments(writer, 20 * DUNLIN_SECOND));
    OK(dunlin_close(writer));
    OK(dunlin_close(topic));
}

static void read_levels(void) {
    Tanks_Tank tank;
    dunlin_topic topic;
    dunlin_reader reader;
    dunlin_status lost;
    dunlin_sample_info info;
    const dunlin_reader_qos wanted = reading();
    memset(&tank, 0, sizeof tank);
    OK(Tanks_Tank_topic(participant, "Tanks", NULL, &topic));
    OK(Tanks_Tank_reader(participant, topic, &wanted, NULL, &reader));
    while (tank.level != 70) {
        int32_t code;
        wait_for(reader);
        code = Tanks_Tank_take_next(reader, &tank, &info);
        if (code == DUNLIN_OK) {
            if (info.valid_data) printf("%d\n", (int)tank.level);
        } else {
            dunlin_text why;
            dunlin_last_error(&why);
            printf("%s\n", why.data);
        }
    }
    OK(dunlin_status_get(reader, DUNLIN_SAMPLE_LOST, &lost));
    printf("lost: %d\n", (int)lost.count[0]);
    Tanks_Tank_free(&tank);
    OK(dunlin_close(reader));
    OK(dunlin_close(topic));
}

int main(int count, char **words) {
    CHECK(count == 2);
    begin();
    if (strcmp(words[1], "write") == 0) {
        write_levels();
    } else {
        read_levels();
    }
    end();
    return 0;
}
