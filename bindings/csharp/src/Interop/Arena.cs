using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Dunlin
{
    /// <summary>Memory for the texts and lists of one call.</summary>
    internal sealed unsafe class Arena : IDisposable
    {
        private static readonly UTF8Encoding Utf8 = new UTF8Encoding(false, true);
        private readonly List<IntPtr> all = new List<IntPtr>();

        internal byte* Room(long size)
        {
            IntPtr made = Marshal.AllocHGlobal(new IntPtr(Math.Max(size, 1)));
            all.Add(made);
            return (byte*)made;
        }

        internal NativeText Text(string? text)
        {
            if (string.IsNullOrEmpty(text))
            {
                return default;
            }
            NativeBytes bytes = Bytes(Encode(text!));
            return new NativeText { Data = bytes.Data, Length = bytes.Length };
        }

        internal NativeBytes Bytes(byte[] bytes)
        {
            if (bytes.Length == 0)
            {
                return default;
            }
            byte* room = Room(bytes.Length);
            Marshal.Copy(bytes, 0, (IntPtr)room, bytes.Length);
            return new NativeBytes { Data = room, Length = (ulong)bytes.Length };
        }

        internal NativeText* Texts(IReadOnlyList<string> texts)
        {
            if (texts.Count == 0)
            {
                return null;
            }
            NativeText* all = (NativeText*)Room((long)sizeof(NativeText) * texts.Count);
            for (int i = 0; i < texts.Count; i++)
            {
                all[i] = Text(texts[i]);
            }
            return all;
        }

        private static byte[] Encode(string text)
        {
            try
            {
                return Utf8.GetBytes(text);
            }
            catch (EncoderFallbackException error)
            {
                throw new BadParameterException(
                    "a text has half of a surrogate pair at position " + error.Index + ", and no UTF-8");
            }
        }

        internal static string Read(byte* data, ulong length)
        {
            return data == null ? "" : Encoding.UTF8.GetString(data, checked((int)length));
        }

        internal static byte[] ReadBytes(byte* data, ulong length)
        {
            byte[] bytes = new byte[data == null ? 0 : checked((int)length)];
            if (bytes.Length > 0)
            {
                Marshal.Copy((IntPtr)data, bytes, 0, bytes.Length);
            }
            return bytes;
        }

        /// <summary>A text that the library made, whose memory is given back.</summary>
        internal static string Take(NativeBlock* block)
        {
            string text = Read(block->Data, block->Length);
            Native.dunlin_block_free(block);
            return text;
        }

        public void Dispose()
        {
            foreach (IntPtr one in all)
            {
                Marshal.FreeHGlobal(one);
            }
            all.Clear();
        }
    }
}
