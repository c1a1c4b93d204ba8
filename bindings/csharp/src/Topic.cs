using System;
using System.Collections.Generic;
using Dunlin.Qos;
using Dunlin.Status;

namespace Dunlin
{
    /// <summary>A topic of a type, or a part of one.</summary>
    public interface ITopic<T> where T : class
    {
        /// <summary>Its name.</summary>
        string Name { get; }

        /// <summary>The topic itself.</summary>
        Entity Entity { get; }
    }

    /// <summary>A topic of a type.</summary>
    public sealed unsafe class Topic<T> : Entity, ITopic<T> where T : class
    {
        private delegate int Getter(ulong type, NativeListener* listener, ulong* topic);

        internal Topic(DomainParticipant participant, string name, TopicQos? qos)
        {
            Participant = participant;
            using Arena arena = new Arena();
            NativeTopicQos native = qos == null ? default : qos.Settings.Topic(arena);
            NativeTopicQos* given = qos == null ? null : &native;
            NativeText text = arena.Text(name);
            OfType((type, listener, topic) => Native.dunlin_topic_new(
                participant.Handle, text, type, given, listener, topic));
        }

        internal Topic(DomainParticipant participant, string name, TimeSpan timeout)
        {
            Participant = participant;
            using Arena arena = new Arena();
            NativeText text = arena.Text(name);
            OfType((type, listener, topic) => Native.dunlin_topic_find(
                participant.Handle, text, type, Duration.Of(timeout), topic));
        }

        private void OfType(Getter getter)
        {
            TypeSupport<T> support = TypeSupport<T>.Instance;
            ReadOnlySpan<byte> objects = support.TypeObjects;
            if (objects.Length == 0)
            {
                throw new BadParameterException(
                    support.TypeName + " is no type of a topic: its IDL says @nested, or it has no TypeObject");
            }
            ulong type;
            fixed (byte* data = objects)
            {
                Check.Ok(Native.dunlin_type_new(data, (ulong)objects.Length, default, &type));
            }
            try
            {
                ulong made = type;
                Make((listener, topic) => getter(made, listener, topic));
            }
            finally
            {
                Native.dunlin_close(type);
            }
        }

        /// <summary>What it was created from.</summary>
        public DomainParticipant Participant { get; }

        private protected override DomainParticipant? Owner => Participant;

        Entity ITopic<T>.Entity => this;

        /// <summary>How the type is called on the network.</summary>
        public string TypeName => TypeSupport<T>.Instance.TypeName;

        /// <summary>
        /// Those samples that pass a filter, in the SQL of DDS 1.4 annex B:
        /// <c>color = 'RED' AND size &lt;= %0</c>. Readers are made for it as for a topic.
        /// </summary>
        public ContentFilteredTopic<T> CreateContentFilteredTopic(
            string name, string expression, params string[] parameters)
        {
            return new ContentFilteredTopic<T>(this, name, expression, parameters);
        }

        /// <summary>The QoS.</summary>
        public TopicQos Qos
        {
            get => TopicQos.Of(QosAccess.Topic(Native.dunlin_qos_get, Handle));
            set => QosAccess.SetTopic(Native.dunlin_qos_set, Handle, value.Settings);
        }

        /// <summary>Somebody has a topic of this name with another type.</summary>
        public CountStatus InconsistentTopicStatus => CountStatus(StatusMask.InconsistentTopic);

        private Action<Topic<T>, CountStatus>? inconsistent;

        /// <summary>The status changed.</summary>
        public event Action<Topic<T>, CountStatus> InconsistentTopic
        {
            add => Change(() => inconsistent += value);
            remove => Change(() => inconsistent -= value);
        }

        private protected override StatusMask Wanted =>
            inconsistent == null ? StatusMask.None : StatusMask.InconsistentTopic;

        internal override void OnStatus(ulong handle, in NativeStatus status)
        {
            inconsistent?.Invoke(this, CountStatus(status));
        }
    }

    /// <summary>Those samples of a topic that pass a filter.</summary>
    public sealed unsafe class ContentFilteredTopic<T> : Entity, ITopic<T> where T : class
    {
        internal ContentFilteredTopic(
            Topic<T> topic, string name, string expression, IReadOnlyList<string> parameters)
        {
            RelatedTopic = topic;
            FilterExpression = expression;
            using Arena arena = new Arena();
            ulong handle;
            Check.Ok(Native.dunlin_filtered_topic_new(
                topic.Handle, arena.Text(name), arena.Text(expression), arena.Texts(parameters),
                (ulong)parameters.Count, &handle));
            Handle = handle;
        }

        /// <summary>The topic that it is a part of.</summary>
        public Topic<T> RelatedTopic { get; }

        /// <summary>The filter.</summary>
        public string FilterExpression { get; }

        Entity ITopic<T>.Entity => this;

        /// <summary>The values of the parameters of the filter, from %0 on.</summary>
        public IReadOnlyList<string> ExpressionParameters
        {
            get
            {
                NativeBlock block;
                Check.Ok(Native.dunlin_filtered_topic_parameters_get(Handle, &block));
                return Texts.Lines(Arena.Take(&block));
            }
            set
            {
                using Arena arena = new Arena();
                Check.Ok(Native.dunlin_filtered_topic_parameters_set(
                    Handle, arena.Texts(value), (ulong)value.Count));
            }
        }
    }

    internal static class Texts
    {
        internal static IReadOnlyList<string> Lines(string text)
        {
            string all = text.EndsWith("\n", StringComparison.Ordinal) ? text.Substring(0, text.Length - 1) : text;
            return all.Length == 0 ? Array.Empty<string>() : all.Split('\n');
        }
    }
}
