// The functions of the C interface. All arguments are blittable, so that a call copies nothing.
using System;
using System.Runtime.InteropServices;

namespace Dunlin
{
    internal static unsafe class Native
    {
        private const string Library = NativeLibraryPath.Name;

        [DllImport(Library)]
        internal static extern int dunlin_builtin_subscriber(ulong participant, ulong* subscriber);

        [DllImport(Library)]
        internal static extern int dunlin_builtin_reader(
            ulong participant, uint kind, ulong* reader);

        [DllImport(Library)]
        internal static extern int dunlin_builtin_decode(
            uint kind, NativeSample* sample, NativeBuiltinData* data, NativeBlock* block);

        [DllImport(Library)]
        internal static extern int dunlin_read_condition_new(
            ulong reader, NativeSelect* select, ulong* condition);

        [DllImport(Library)]
        internal static extern int dunlin_query_condition_new(
            ulong reader, NativeSelect* select, NativeText expression, NativeText* parameters,
            ulong parameterCount, ulong* condition);

        [DllImport(Library)]
        internal static extern int dunlin_query_parameters_get(ulong condition, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_query_parameters_set(
            ulong condition, NativeText* parameters, ulong parameterCount);

        [DllImport(Library)]
        internal static extern int dunlin_guard_new(ulong* condition);

        [DllImport(Library)]
        internal static extern int dunlin_guard_set(ulong guard, byte value);

        [DllImport(Library)]
        internal static extern int dunlin_condition_value(ulong condition, byte* value);

        [DllImport(Library)]
        internal static extern int dunlin_status_condition(ulong entity, ulong* condition);

        [DllImport(Library)]
        internal static extern int dunlin_status_condition_mask(
            ulong condition, uint* statuses, uint* before);

        [DllImport(Library)]
        internal static extern int dunlin_waitset_new(ulong* waitset);

        [DllImport(Library)]
        internal static extern int dunlin_waitset_attach(ulong waitset, ulong condition);

        [DllImport(Library)]
        internal static extern int dunlin_waitset_detach(ulong waitset, ulong condition);

        [DllImport(Library)]
        internal static extern int dunlin_waitset_wait(
            ulong waitset, long timeout, ulong* conditions, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_waitset_conditions(
            ulong waitset, ulong* conditions, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_config_default(NativeParticipantConfig* config);

        [DllImport(Library)]
        internal static extern int dunlin_discovered(
            ulong participant, uint kind, byte* keys, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_discovered_data(
            ulong participant, uint kind, byte* key, NativeBuiltinData* data, NativeBlock* block);

        [DllImport(Library)]
        internal static extern int dunlin_ignore(ulong participant, uint kind, byte* key);

        [DllImport(Library)]
        internal static extern int dunlin_writer_matched_data(
            ulong writer, InstanceHandle* guid, NativeBuiltinData* data, NativeBlock* block);

        [DllImport(Library)]
        internal static extern int dunlin_reader_matched_data(
            ulong reader, InstanceHandle* guid, NativeBuiltinData* data, NativeBlock* block);

        [DllImport(Library)]
        internal static extern int dunlin_why(
            ulong participant, NativeText topic, long timeout, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_enable(ulong entity);

        [DllImport(Library)]
        internal static extern int dunlin_close(ulong handle);

        [DllImport(Library)]
        internal static extern int dunlin_delete(ulong handle);

        [DllImport(Library)]
        internal static extern int dunlin_delete_contained(ulong handle);

        [DllImport(Library)]
        internal static extern int dunlin_kind(ulong handle, uint* kind);

        [DllImport(Library)]
        internal static extern int dunlin_guid(ulong entity, InstanceHandle* guid);

        [DllImport(Library)]
        internal static extern int dunlin_parent(ulong handle, ulong* parent);

        [DllImport(Library)]
        internal static extern int dunlin_name(ulong entity, NativeBlock* name);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void OnWake(IntPtr context);

        [DllImport(Library)]
        internal static extern int dunlin_condition_wake_once(ulong condition, IntPtr wake, IntPtr context);

        [DllImport(Library)]
        internal static extern int dunlin_set_listener(ulong entity, NativeListener* listener);

        [DllImport(Library)]
        internal static extern int dunlin_qos_default(NativeQos* qos);

        [DllImport(Library)]
        internal static extern int dunlin_qos_get(ulong entity, NativeQos* qos, NativeBlock* block);

        [DllImport(Library)]
        internal static extern int dunlin_qos_set(ulong entity, NativeQos* qos);

        [DllImport(Library)]
        internal static extern int dunlin_default_qos_get(
            ulong entity, NativeQos* qos, NativeBlock* block);

        [DllImport(Library)]
        internal static extern int dunlin_default_qos_set(ulong entity, NativeQos* qos);

        [DllImport(Library)]
        internal static extern int dunlin_set_attachment(ulong handle, ulong attachment);

        [DllImport(Library)]
        internal static extern int dunlin_attachment(ulong handle, ulong* attachment);

        [DllImport(Library)]
        internal static extern int dunlin_publisher_new(
            ulong participant, NativeGroupQos* qos, NativeListener* listener, ulong* publisher);

        [DllImport(Library)]
        internal static extern int dunlin_publisher_suspend(ulong publisher);

        [DllImport(Library)]
        internal static extern int dunlin_publisher_resume(ulong publisher);

        [DllImport(Library)]
        internal static extern int dunlin_publisher_begin_coherent(ulong publisher);

        [DllImport(Library)]
        internal static extern int dunlin_publisher_end_coherent(ulong publisher);

        [DllImport(Library)]
        internal static extern int dunlin_publisher_wait_for_acknowledgments(
            ulong publisher, long timeout);

        [DllImport(Library)]
        internal static extern int dunlin_publisher_lookup_writer(
            ulong publisher, NativeText topic, ulong* writer);

        [DllImport(Library)]
        internal static extern int dunlin_subscriber_new(
            ulong participant, NativeGroupQos* qos, NativeListener* listener, ulong* subscriber);

        [DllImport(Library)]
        internal static extern int dunlin_subscriber_begin_access(ulong subscriber);

        [DllImport(Library)]
        internal static extern int dunlin_subscriber_end_access(ulong subscriber);

        [DllImport(Library)]
        internal static extern int dunlin_subscriber_readers(
            ulong subscriber, NativeSelect* select, ulong* readers, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_subscriber_notify_readers(ulong subscriber);

        [DllImport(Library)]
        internal static extern int dunlin_subscriber_lookup_reader(
            ulong subscriber, NativeText topic, ulong* reader);

        [DllImport(Library)]
        internal static extern int dunlin_abi_layout(
            NativeText name, ulong* size, ulong* offsets, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern byte* dunlin_version();

        [DllImport(Library)]
        internal static extern uint dunlin_abi_version();

        [DllImport(Library)]
        internal static extern byte* dunlin_retcode_name(int code);

        [DllImport(Library)]
        internal static extern int dunlin_last_error(NativeText* text);

        [DllImport(Library)]
        internal static extern int dunlin_set_last_error(int code, NativeText text);

        [DllImport(Library)]
        internal static extern int dunlin_block_free(NativeBlock* block);

        [DllImport(Library)]
        internal static extern int dunlin_leaks(ulong* count, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_shutdown();

        [DllImport(Library)]
        internal static extern int dunlin_loan_new(
            ulong writer, ulong length, uint flags, NativeLoan* loan);

        [DllImport(Library)]
        internal static extern int dunlin_loan_write(
            ulong writer, NativeLoan* loan, NativeWriteOptions* options);

        [DllImport(Library)]
        internal static extern int dunlin_loan_discard(ulong writer, NativeLoan* loan);

        [DllImport(Library)]
        internal static extern int dunlin_octets_new(
            ulong writer, ulong length, byte** data, ulong* octets);

        [DllImport(Library)]
        internal static extern int dunlin_octets_seal(ulong octets);

        [DllImport(Library)]
        internal static extern int dunlin_octets_clone(ulong octets, ulong* clone);

        [DllImport(Library)]
        internal static extern int dunlin_octets_slice(
            ulong octets, ulong offset, ulong length, ulong* slice);

        [DllImport(Library)]
        internal static extern int dunlin_octets_data(ulong octets, byte** data, ulong* length);

        [DllImport(Library)]
        internal static extern int dunlin_octets_wrap(
            byte* data, ulong length, IntPtr release, void* context, ulong* octets);

        [DllImport(Library)]
        internal static extern int dunlin_octets_of_sample(
            ulong reader, NativeSample* sample, ulong offset, ulong length, ulong* octets);

        [DllImport(Library)]
        internal static extern int dunlin_octets_free(ulong octets);

        [DllImport(Library)]
        internal static extern int dunlin_participant_new(
            uint domain, NativeParticipantConfig* config, NativeParticipantQos* qos,
            NativeListener* listener, ulong* participant);

        [DllImport(Library)]
        internal static extern int dunlin_participant_lookup(uint domain, ulong* participant);

        [DllImport(Library)]
        internal static extern int dunlin_participant_default_qos_get(
            NativeQos* qos, NativeBlock* block);

        [DllImport(Library)]
        internal static extern int dunlin_participant_default_qos_set(NativeQos* qos);

        [DllImport(Library)]
        internal static extern int dunlin_participant_domain(ulong participant, uint* domain);

        [DllImport(Library)]
        internal static extern int dunlin_participant_add_peer(ulong participant, NativeText peer);

        [DllImport(Library)]
        internal static extern int dunlin_participant_remove_peer(
            ulong participant, NativeText peer);

        [DllImport(Library)]
        internal static extern int dunlin_participant_peers(ulong participant, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_participant_counters(
            ulong participant, NativeCounters* counters);

        [DllImport(Library)]
        internal static extern int dunlin_participant_assert_liveliness(ulong participant);

        [DllImport(Library)]
        internal static extern int dunlin_participant_contains(
            ulong participant, InstanceHandle* guid, byte* contains);

        [DllImport(Library)]
        internal static extern int dunlin_current_time(ulong participant, long* time);

        [DllImport(Library)]
        internal static extern int dunlin_reader_new(
            ulong parent, ulong topic, NativeReaderQos* qos, NativeListener* listener,
            ulong* reader);

        [DllImport(Library)]
        internal static extern int dunlin_take(
            ulong reader, NativeSelect* select, NativeSample* samples, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_read(
            ulong reader, NativeSelect* select, NativeSample* samples, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_take_next(
            ulong reader, NativeSelect* select, byte* into, ulong length, NativeSample* sample);

        [DllImport(Library)]
        internal static extern int dunlin_read_next(
            ulong reader, NativeSelect* select, byte* into, ulong length, NativeSample* sample);

        [DllImport(Library)]
        internal static extern int dunlin_give_back(
            ulong reader, NativeSample* samples, ulong count);

        [DllImport(Library)]
        internal static extern int dunlin_reject(ulong reader, NativeSample* sample, NativeText why);

        [DllImport(Library)]
        internal static extern int dunlin_sample_copy(
            ulong reader, NativeSample* sample, ulong offset, byte* into, ulong length);

        [DllImport(Library)]
        internal static extern int dunlin_sample_is_valid(
            ulong reader, NativeSample* sample, byte* valid);

        [DllImport(Library)]
        internal static extern int dunlin_reader_lookup(ulong reader, InstanceHandle* instance);

        [DllImport(Library)]
        internal static extern int dunlin_reader_key(
            ulong reader, InstanceHandle* instance, NativeBlock* key);

        [DllImport(Library)]
        internal static extern int dunlin_reader_wait_for_matched(
            ulong reader, ulong writers, long timeout);

        [DllImport(Library)]
        internal static extern int dunlin_reader_wait_for_historical(ulong reader, long timeout);

        [DllImport(Library)]
        internal static extern int dunlin_reader_matched(
            ulong reader, byte* guids, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_reader_filtered(ulong reader, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_reader_explain(ulong reader, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_status_get(ulong entity, uint kind, NativeStatus* status);

        [DllImport(Library)]
        internal static extern int dunlin_status_changes(ulong entity, uint* mask);

        [DllImport(Library)]
        internal static extern int dunlin_status_reasons(ulong entity, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_status_policies(
            ulong entity, NativePolicyCount* policies, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_topic_new(
            ulong participant, NativeText name, ulong ty, NativeTopicQos* qos,
            NativeListener* listener, ulong* topic);

        [DllImport(Library)]
        internal static extern int dunlin_topic_find(
            ulong participant, NativeText name, ulong ty, long timeout, ulong* topic);

        [DllImport(Library)]
        internal static extern int dunlin_topic_lookup(
            ulong participant, NativeText name, ulong* topic);

        [DllImport(Library)]
        internal static extern int dunlin_filtered_topic_new(
            ulong topic, NativeText name, NativeText expression, NativeText* parameters,
            ulong parameterCount, ulong* filtered);

        [DllImport(Library)]
        internal static extern int dunlin_filtered_topic_parameters_get(
            ulong filtered, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_filtered_topic_parameters_set(
            ulong filtered, NativeText* parameters, ulong parameterCount);

        [DllImport(Library)]
        internal static extern int dunlin_type_new(
            byte* objects, ulong length, NativeText name, ulong* ty);

        [DllImport(Library)]
        internal static extern int dunlin_type_describe(ulong ty, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_type_check(ulong ty, ulong topic);

        [DllImport(Library)]
        internal static extern int dunlin_type_key(
            ulong ty, byte* sample, ulong length, InstanceHandle* instance, NativeBlock* key);

        [DllImport(Library)]
        internal static extern int dunlin_writer_new(
            ulong parent, ulong topic, NativeWriterQos* qos, NativeListener* listener,
            ulong* writer);

        [DllImport(Library)]
        internal static extern int dunlin_write(
            ulong writer, byte* payload, ulong length, NativeWriteOptions* options);

        [DllImport(Library)]
        internal static extern int dunlin_write_pieces(
            ulong writer, NativePiece* pieces, ulong count, NativeWriteOptions* options);

        [DllImport(Library)]
        internal static extern int dunlin_dispose(
            ulong writer, byte* key, ulong length, NativeWriteOptions* options);

        [DllImport(Library)]
        internal static extern int dunlin_unregister(
            ulong writer, byte* key, ulong length, NativeWriteOptions* options);

        [DllImport(Library)]
        internal static extern int dunlin_register(
            ulong writer, byte* key, ulong length, InstanceHandle* instance);

        [DllImport(Library)]
        internal static extern int dunlin_writer_lookup(ulong writer, InstanceHandle* instance);

        [DllImport(Library)]
        internal static extern int dunlin_writer_key(
            ulong writer, InstanceHandle* instance, NativeBlock* key);

        [DllImport(Library)]
        internal static extern int dunlin_writer_wait_for_acknowledgments(
            ulong writer, long timeout);

        [DllImport(Library)]
        internal static extern int dunlin_writer_wait_for_matched(
            ulong writer, ulong readers, long timeout);

        [DllImport(Library)]
        internal static extern int dunlin_writer_representation(ulong writer, int* representation);

        [DllImport(Library)]
        internal static extern int dunlin_writer_matched(
            ulong writer, byte* guids, ulong room, ulong* count);

        [DllImport(Library)]
        internal static extern int dunlin_writer_backlog(
            ulong writer, ulong* unacknowledged, ulong* kept);

        [DllImport(Library)]
        internal static extern int dunlin_writer_explain(ulong writer, NativeBlock* text);

        [DllImport(Library)]
        internal static extern int dunlin_flush(ulong writer);

        [DllImport(Library)]
        internal static extern int dunlin_assert_liveliness(ulong writer);
    }
}
