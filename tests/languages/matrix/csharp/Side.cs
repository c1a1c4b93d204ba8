using System;
using System.Collections.Generic;
using Dunlin;
using Dunlin.Qos;

/// <summary>A type of the matrix.</summary>
internal interface IKind<T>
{
    bool IsKeyed { get; }

    T Make(string from, uint order);

    string Text(T value);

    string Key(T value);
}

/// <summary>
/// A topic of the matrix, written or read. What has XCDR1 is written before anybody knows the writer, so its readers are
/// late joiners.
/// </summary>
internal abstract class Side
{
    /// <summary>How many samples each topic has of each publisher.</summary>
    public const uint Samples = 64;

    /// <summary>How many instances a keyed topic has of each publisher.</summary>
    public const uint Instances = 8;

    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    protected Side(string name)
    {
        Name = name;
        IsLate = name.EndsWith("1", StringComparison.Ordinal);
    }

    public bool IsLate { get; }

    public abstract int Lines { get; }

    public string Name { get; }

    protected Representation Representation => IsLate ? Representation.Xcdr1 : Representation.Xcdr2;

    protected Durability Durability => IsLate ? Durability.TransientLocal : Durability.Volatile;

    public abstract void OpenWriter(DomainParticipant on);

    public abstract ReadCondition OpenReader(DomainParticipant on);

    public abstract void WriteAll(string from);

    public abstract void UnregisterAll(string from);

    public abstract void WaitForMatched(int readers);

    public abstract void WaitForAcknowledgments();

    public abstract void TakeAll(List<string> lines);
}

internal sealed class Side<T> : Side where T : class
{
    private readonly IKind<T> kind;
    private DataWriter<T> writer = null!;
    private DataReader<T> reader = null!;

    public Side(string name, IKind<T> kind) : base(name) => this.kind = kind;

    public override int Lines => (int)(Samples + (kind.IsKeyed ? Instances : 0));

    public override void OpenWriter(DomainParticipant on) => writer = on.CreateDataWriter(
        on.CreateTopic<T>(Name),
        DataWriterQos.Default.WithReliable(Patience).WithKeepAll().WithDurability(Durability)
            .WithRepresentation(Representation).WithAutodisposeUnregisteredInstances(false));

    public override ReadCondition OpenReader(DomainParticipant on)
    {
        reader = on.CreateDataReader(
            on.CreateTopic<T>(Name),
            DataReaderQos.Default.WithReliable().WithKeepAll().WithDurability(Durability)
                .WithRepresentations(Representation));
        return reader.CreateReadCondition();
    }

    public override void WriteAll(string from)
    {
        for (uint order = 0; order < Samples; order++)
        {
            writer.Write(kind.Make(from, order));
        }
        for (uint number = 0; kind.IsKeyed && number < Instances; number += 2)
        {
            writer.DisposeInstance(kind.Make(from, number));
        }
    }

    public override void UnregisterAll(string from)
    {
        for (uint number = 1; kind.IsKeyed && number < Instances; number += 2)
        {
            writer.UnregisterInstance(kind.Make(from, number));
        }
    }

    public override void WaitForMatched(int readers) => writer.WaitForMatched(readers, Patience);

    public override void WaitForAcknowledgments() => writer.WaitForAcknowledgments(Patience);

    public override void TakeAll(List<string> lines) => reader.TakeEach((T value, in SampleInfo info) =>
    {
        if (info.ValidData)
        {
            lines.Add($"{Name} {kind.Text(value)}");
        }
        else if (kind.IsKeyed)
        {
            string end = info.InstanceState == InstanceStates.NotAliveDisposed ? "disposed" : "unregistered";
            lines.Add($"{Name} {kind.Key(value)} {end}");
        }
    });
}
