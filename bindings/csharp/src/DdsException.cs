using System;

namespace Dunlin
{
    /// <summary>The return codes of DDS 1.4.</summary>
    public enum ReturnCode
    {
        /// <summary>It succeeded.</summary>
        Ok = 0,
        /// <summary>Something else than the codes below.</summary>
        Error = 1,
        /// <summary>The library does not have this.</summary>
        Unsupported = 2,
        /// <summary>An argument makes no sense.</summary>
        BadParameter = 3,
        /// <summary>It is not possible now.</summary>
        PreconditionNotMet = 4,
        /// <summary>A limit is reached.</summary>
        OutOfResources = 5,
        /// <summary>The entity has not been enabled.</summary>
        NotEnabled = 6,
        /// <summary>The policy cannot be changed while the entity lives.</summary>
        ImmutablePolicy = 7,
        /// <summary>The policies contradict each other.</summary>
        InconsistentPolicy = 8,
        /// <summary>It has been closed.</summary>
        AlreadyDeleted = 9,
        /// <summary>It took longer than allowed.</summary>
        Timeout = 10,
        /// <summary>There is nothing to take, to read or to find.</summary>
        NoData = 11,
        /// <summary>It is not for this kind of thing.</summary>
        IllegalOperation = 12,
    }

    /// <summary>A call that did not succeed. The message names the entity, the policy and the values.</summary>
    public class DdsException : Exception
    {
        /// <summary>Of a return code.</summary>
        public DdsException(ReturnCode code, string message) : base(message)
        {
            Code = code;
        }

        /// <summary>The code of DDS 1.4.</summary>
        public ReturnCode Code { get; }
    }

    /// <summary>The library does not have this.</summary>
    public sealed class UnsupportedException : DdsException
    {
        internal UnsupportedException(string message) : base(ReturnCode.Unsupported, message) { }
    }

    /// <summary>An argument, or a value that is to be written, makes no sense.</summary>
    public sealed class BadParameterException : DdsException
    {
        internal BadParameterException(string message) : base(ReturnCode.BadParameter, message) { }
    }

    /// <summary>It is not possible now.</summary>
    public sealed class PreconditionNotMetException : DdsException
    {
        internal PreconditionNotMetException(string message) : base(ReturnCode.PreconditionNotMet, message) { }
    }

    /// <summary>A limit is reached.</summary>
    public sealed class OutOfResourcesException : DdsException
    {
        internal OutOfResourcesException(string message) : base(ReturnCode.OutOfResources, message) { }
    }

    /// <summary>The entity has not been enabled.</summary>
    public sealed class NotEnabledException : DdsException
    {
        internal NotEnabledException(string message) : base(ReturnCode.NotEnabled, message) { }
    }

    /// <summary>The policy cannot be changed while the entity lives.</summary>
    public sealed class ImmutablePolicyException : DdsException
    {
        internal ImmutablePolicyException(string message) : base(ReturnCode.ImmutablePolicy, message) { }
    }

    /// <summary>The policies contradict each other.</summary>
    public sealed class InconsistentPolicyException : DdsException
    {
        internal InconsistentPolicyException(string message) : base(ReturnCode.InconsistentPolicy, message) { }
    }

    /// <summary>What is used has been closed.</summary>
    public sealed class AlreadyDeletedException : DdsException
    {
        internal AlreadyDeletedException(string message) : base(ReturnCode.AlreadyDeleted, message) { }
    }

    /// <summary>It took longer than allowed.</summary>
    public sealed class DdsTimeoutException : DdsException
    {
        internal DdsTimeoutException(string message) : base(ReturnCode.Timeout, message) { }
    }

    /// <summary>It is not for this kind of thing.</summary>
    public sealed class IllegalOperationException : DdsException
    {
        internal IllegalOperationException(string message) : base(ReturnCode.IllegalOperation, message) { }
    }

    /// <summary>Return codes as exceptions.</summary>
    internal static unsafe class Check
    {
        internal static void Ok(int code)
        {
            if (code != 0)
            {
                throw Error(code);
            }
        }

        internal static Exception Error(int code)
        {
            NativeText text;
            string said = Native.dunlin_last_error(&text) == 0 ? Arena.Read(text.Data, text.Length) : "";
            return Of((ReturnCode)code, said);
        }

        internal static DdsException Of(ReturnCode code, string said)
        {
            switch (code)
            {
                case ReturnCode.Unsupported: return new UnsupportedException(said);
                case ReturnCode.BadParameter: return new BadParameterException(said);
                case ReturnCode.PreconditionNotMet: return new PreconditionNotMetException(said);
                case ReturnCode.OutOfResources: return new OutOfResourcesException(said);
                case ReturnCode.NotEnabled: return new NotEnabledException(said);
                case ReturnCode.ImmutablePolicy: return new ImmutablePolicyException(said);
                case ReturnCode.InconsistentPolicy: return new InconsistentPolicyException(said);
                case ReturnCode.AlreadyDeleted: return new AlreadyDeletedException(said);
                case ReturnCode.Timeout: return new DdsTimeoutException(said);
                // It leaves the text of an earlier failure.
                case ReturnCode.NoData: return new DdsException(code, "there is nothing of the kind");
                case ReturnCode.IllegalOperation: return new IllegalOperationException(said);
                default: return new DdsException(code, said);
            }
        }
    }
}
