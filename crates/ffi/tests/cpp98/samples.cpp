// Samples, instances, loans, and large samples without a key.
#include "check.hpp"

static void loans(ShapeTypeDataWriter *writer, ShapeTypeDataReader *reader) {
    ShapeTypeSeq data;
    SampleInfoSeq infos;
    const SampleStateMask any = ANY_SAMPLE_STATE;
    CHECK(reader->take(data, infos, LENGTH_UNLIMITED, any, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_NO_DATA);
    for (Long x = 0; x < 100; x++) {
        CHECK(writer->write(shape(x % 2 == 0 ? "RED" : "BLUE", x), HANDLE_NIL) == RETCODE_OK);
    }
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    CHECK(reader->read(data, infos, LENGTH_UNLIMITED, any, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_OK);
    CHECK(data.length() == 100 && infos.length() == 100 && !data.has_ownership());
    for (ULong i = 0; i < 100; i++) {
        CHECK(infos[i].valid_data && infos[i].instance_state == ALIVE_INSTANCE_STATE);
        CHECK(data[i].color == (data[i].x % 2 == 0 ? "RED" : "BLUE"));
        CHECK(reader->lookup_instance(data[i]) == infos[i].instance_handle);
    }
    // What is lent is the reader's: it cannot be read into, nor can its reader go.
    CHECK(reader->read(data, infos, 1, any, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_PRECONDITION_NOT_MET);
    CHECK(reader->get_subscriber()->delete_datareader(reader) == RETCODE_PRECONDITION_NOT_MET);
    const ShapeTypeSeq copy(data);
    CHECK(reader->return_loan(data, infos) == RETCODE_OK);
    CHECK(data.length() == 0 && data.has_ownership() && copy.length() == 100);
    CHECK(copy[99].color.length() > 0);
    // Own memory is filled as far as it goes.
    CHECK(data.ensure_length(0, 8) && infos.ensure_length(0, 8));
    CHECK(reader->take(data, infos, LENGTH_UNLIMITED, any, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_OK);
    CHECK(data.length() == 8 && data.has_ownership());
    CHECK(infos[0].sample_state == READ_SAMPLE_STATE);
    CHECK(reader->return_loan(data, infos) == RETCODE_OK);
    CHECK(reader->take(data, infos, 9, any, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_PRECONDITION_NOT_MET);
    ShapeTypeSeq rest;
    SampleInfoSeq about;
    CHECK(reader->take(rest, about, LENGTH_UNLIMITED, any, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
          == RETCODE_OK);
    CHECK(rest.length() == 92 && reader->return_loan(rest, about) == RETCODE_OK);
}

static void instances(ShapeTypeDataWriter *writer, ShapeTypeDataReader *reader) {
    ShapeTypeSeq data;
    SampleInfoSeq infos;
    ShapeType key = shape("", 0);
    InstanceHandle_t previous = HANDLE_NIL;
    int seen = 0;
    const InstanceHandle_t red = writer->register_instance(shape("RED", 0));
    CHECK(red != HANDLE_NIL && writer->lookup_instance(shape("RED", 5)) == red);
    CHECK(writer->get_key_value(key, red) == RETCODE_OK && key.color == "RED");
    CHECK(writer->lookup_instance(shape("WHITE", 0)) == HANDLE_NIL);
    CHECK(writer->write(shape("RED", 1), red) == RETCODE_OK);
    CHECK(writer->write(shape("BLUE", 2), red) == RETCODE_PRECONDITION_NOT_MET);
    const Time_t then = {1000, 5};
    CHECK(writer->write_w_timestamp(shape("BLUE", 3), HANDLE_NIL, then) == RETCODE_OK);
    CHECK(writer->dispose(shape("RED", 0), red) == RETCODE_OK);
    CHECK(writer->unregister_instance(shape("BLUE", 0), HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    while (reader->take_next_instance(data, infos, LENGTH_UNLIMITED, previous, ANY_SAMPLE_STATE,
                                      ANY_VIEW_STATE, ANY_INSTANCE_STATE)
           == RETCODE_OK) {
        previous = infos[0].instance_handle;
        CHECK(data.length() == 2 && infos[0].valid_data && !infos[1].valid_data);
        CHECK(infos[0].sample_rank == 1 && infos[1].sample_rank == 0);
        CHECK(data[0].color == data[1].color);
        // Unregistering disposes, by the default of WRITER_DATA_LIFECYCLE.
        CHECK(infos[1].instance_state == NOT_ALIVE_DISPOSED_INSTANCE_STATE);
        if (data[0].x == 3) {
            CHECK(infos[0].source_timestamp.sec == 1000 && infos[0].source_timestamp.nanosec == 5);
        }
        CHECK(reader->return_loan(data, infos) == RETCODE_OK);
        seen++;
    }
    CHECK(seen == 2);
    CHECK(writer->write(shape("GREEN", 9), HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    SampleInfo info;
    CHECK(reader->take_next_sample(key, info) == RETCODE_OK && key.color == "GREEN" && key.x == 9);
    CHECK(reader->get_key_value(key, info.instance_handle) == RETCODE_OK && key.color == "GREEN");
    CHECK(reader->take_next_sample(key, info) == RETCODE_NO_DATA);
}

static void large(World &world) {
    Topic *topic = world.participant->create_topic("Blocks", "Block", TOPIC_QOS_DEFAULT, NULL,
                                                   STATUS_MASK_NONE);
    CHECK(topic != NULL);
    DataWriter *any = world.publisher->create_datawriter(topic, DATAWRITER_QOS_DEFAULT, NULL,
                                                         STATUS_MASK_NONE);
    Raw::BlockDataWriter *writer = Raw::BlockDataWriter::narrow(any);
    CHECK(writer != NULL && ShapeTypeDataWriter::narrow(any) == NULL);
    DataReaderQos qos;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    Raw::BlockDataReader *reader = Raw::BlockDataReader::narrow(
        world.subscriber->create_datareader(topic, qos, NULL, STATUS_MASK_NONE));
    CHECK(reader != NULL && writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    Raw::Block block, back;
    SampleInfo info;
    block.number = 7;
    CHECK(block.bytes.length(100000));
    block.bytes[99999] = 42;
    CHECK(writer->write(block, HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    CHECK(reader->take_next_sample(back, info) == RETCODE_OK);
    CHECK(back.number == 7 && back.bytes.length() == 100000 && back.bytes[99999] == 42);
    CHECK(writer->register_instance(block) == HANDLE_NIL);
    CHECK(writer->dispose(block, HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    CHECK(reader->take_next_sample(back, info) == RETCODE_OK && !info.valid_data);
    CHECK(info.instance_state == NOT_ALIVE_DISPOSED_INSTANCE_STATE);
}

static void writer_loans(World &world) {
    CHECK(Raw::ImageTypeSupport::register_type(world.participant, NULL) == RETCODE_OK);
    Topic *topic = world.participant->create_topic("Images", "Raw::Image", TOPIC_QOS_DEFAULT, NULL,
                                                   STATUS_MASK_NONE);
    Raw::ImageDataWriter_var writer = Raw::ImageDataWriter::_narrow(
        world.publisher->create_datawriter(topic, DATAWRITER_QOS_DEFAULT, NULL, STATUS_MASK_NONE));
    DataReaderQos qos;
    qos.reliability.kind = RELIABLE_RELIABILITY_QOS;
    qos.history.kind = KEEP_ALL_HISTORY_QOS;
    Raw::ImageDataReader_var reader = Raw::ImageDataReader::_narrow(
        world.subscriber->create_datareader(topic, qos, NULL, STATUS_MASK_NONE));
    CHECK(writer.in() != NULL && reader.in() != NULL);
    CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    Raw::Image *one = NULL, *other = NULL;
    CHECK(writer->loan(one) == RETCODE_OK && writer->loan(other) == RETCODE_OK);
    CHECK(one != other && reinterpret_cast<uintptr_t>(one) % 4 == 0);
    one->number = 7;
    std::memset(one->pixels, 42, sizeof one->pixels);
    CHECK(world.publisher->delete_datawriter(writer) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(writer->write_loan(one, HANDLE_NIL) == RETCODE_OK);
    CHECK(writer->write_loan(one, HANDLE_NIL) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(writer->discard_loan(other) == RETCODE_OK);
    CHECK(writer->discard_loan(NULL) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(writer->wait_for_acknowledgments(PATIENCE) == RETCODE_OK);
    Raw::Image_var back = Raw::ImageTypeSupport::create_data();
    SampleInfo info;
    CHECK(reader->take_next_sample(back, info) == RETCODE_OK && back->number == 7);
    CHECK(back->pixels[0] == 42 && back->pixels[sizeof back->pixels - 1] == 42);
    CHECK(reader->take_next_sample(back, info) == RETCODE_NO_DATA);
    const Raw::Image_var copy(back);
    CHECK(copy.ptr() != back.ptr() && copy->number == 7);
    CHECK(world.publisher->delete_datawriter(writer) == RETCODE_OK);
    // What has to be encoded cannot be lent.
    ShapeType *shape = NULL;
    CHECK(world.writer()->loan(shape) == RETCODE_UNSUPPORTED && shape == NULL);
    CHECK(std::strstr(last_error(), "encoded") != NULL);
}

int main() {
    World world;
    ShapeTypeDataWriter *writer = world.writer();
    ShapeTypeDataReader *reader = world.reader();
    CHECK(writer->wait_for_matched(1, PATIENCE) == RETCODE_OK);
    loans(writer, reader);
    instances(writer, reader);
    // What is too long is refused before anything is sent.
    ShapeType wrong = shape("", 0);
    char text[200];
    std::memset(text, 'x', sizeof text);
    CHECK(wrong.color.assign(text, sizeof text));
    CHECK(writer->write(wrong, HANDLE_NIL) == RETCODE_BAD_PARAMETER);
    CHECK(std::strstr(last_error(), "ShapeType.color: its length is 200, at most 128") != NULL);
    large(world);
    writer_loans(world);
    CHECK(world.publisher->lookup_datawriter("Square") == writer);
    CHECK(world.subscriber->lookup_datareader("Square") == reader);
    CHECK(world.participant->lookup_topicdescription("Square") == world.topic);
    CHECK(world.participant->contains_entity(writer->get_instance_handle()));
    CHECK(world.participant->delete_topic(world.topic) == RETCODE_PRECONDITION_NOT_MET);
    CHECK(world.publisher->delete_datawriter(writer) == RETCODE_OK);
    CHECK(world.subscriber->delete_datareader(reader) == RETCODE_OK);
    world.end();
    return done();
}
