// The support of a type, which registers it.
#ifndef DUNLIN_DDS98_TYPED_HPP
#define DUNLIN_DDS98_TYPED_HPP

#include "dunlin/dds98/typed_reader.hpp"
#include "dunlin/dds98/typed_writer.hpp"

namespace DDS {

// What a `FooTypeSupport` does.
template <class C, class W, class R> class TypedSupport {
public:
    static const char *get_type_name() { return C::name(); }
    // Without a name, or by an empty one, the type has the one of the IDL.
    static ReturnCode_t register_type(DomainParticipant *participant, const char *name) {
        static const TypePlugin plugin = {C::name(), C::objects(), C::objects_size(),
                                          create_writer, create_reader};
        return participant == NULL
                   ? dunlin98::refuse(RETCODE_BAD_PARAMETER, "the participant is NULL")
                   : participant->register_plugin(&plugin, name == NULL || *name == 0 ? C::name() : name);
    }
    // A value with the defaults of its members; NULL: there is no memory.
    static typename C::Value *create_data() {
        typename C::Value *value = new (std::nothrow) typename C::Value();
        if (value != NULL && !C::reset(value)) {
            delete value;
            value = NULL;
        }
        return value;
    }
    static ReturnCode_t delete_data(typename C::Value *value) {
        delete value;
        return RETCODE_OK;
    }

private:
    static DataWriter *create_writer() { return new (std::nothrow) W(); }
    static DataReader *create_reader() { return new (std::nothrow) R(); }
};

} // namespace DDS

#endif
