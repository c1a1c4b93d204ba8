/* Says what becomes of a value that is out of its range. */
#include <stdio.h>

#include "dunlin/explain.h"
#include "tank.h"

int main(void) {
    Tank tank;
    dunlin_cdr_fault fault;
    char text[256];
    uint8_t payload[Tank_CDR_MAX_SIZE_XCDR2];
    size_t size = 0;
    if (!Tank_init(&tank)) return 1;
    tank.level = 101;
    if (Tank_cdr_size(&tank, DUNLIN_XCDR2, &size, &fault)
        && Tank_cdr_write(&tank, DUNLIN_XCDR2, payload, size, &fault)) {
        puts("written");
    } else {
        (void)dunlin_cdr_explain(&fault, text, sizeof text);
        puts(text);
    }
    Tank_free(&tank);
    return 0;
}
