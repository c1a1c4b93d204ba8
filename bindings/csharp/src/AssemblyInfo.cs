using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Dunlin.Tests")]
