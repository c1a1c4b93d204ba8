using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using Xunit;

namespace Dunlin.Tests
{
    public unsafe class LayoutTests
    {
        private static string NameInC(Type type)
        {
            string name = type == typeof(SampleInfo) ? "SampleInfo" : type.Name.Substring("Native".Length);
            IEnumerable<string> letters = name.Select(one => char.IsUpper(one) ? "_" + char.ToLowerInvariant(one) : one.ToString());
            return "dunlin" + string.Concat(letters);
        }

        [Fact]
        public void StructuresAreThoseOfTheLibrary()
        {
            Library.EnsureLoaded();
            Type[] all = typeof(Library).Assembly.GetTypes()
                .Where(type => type.IsValueType && type.Name.StartsWith("Native", StringComparison.Ordinal))
                .Append(typeof(SampleInfo)).ToArray();
            Assert.True(all.Length >= 20, "there are " + all.Length);
            foreach (Type type in all)
            {
                string name = NameInC(type);
                ulong size, count;
                ulong* offsets = stackalloc ulong[64];
                byte[] text = Encoding.ASCII.GetBytes(name);
                fixed (byte* data = text)
                {
                    NativeText native = new NativeText { Data = data, Length = (ulong)text.Length };
                    Check.Ok(Native.dunlin_abi_layout(native, &size, offsets, 64, &count));
                }
                // Those of the library may have grown at their ends.
                Assert.True((int)size >= Marshal.SizeOf(type), name + " has " + size);
                FieldInfo[] fields = type.GetFields(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public);
                for (int i = 0; i < fields.Length; i++)
                {
                    int found = (int)Marshal.OffsetOf(type, fields[i].Name);
                    Assert.Equal(name + "." + fields[i].Name + offsets[i], name + "." + fields[i].Name + found);
                }
            }
        }
    }
}
