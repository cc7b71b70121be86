<%= banner %>
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;

namespace <%= assembly %>
{
    /// <summary>
    /// Where the library of <%= ep %> is, and what it is called. Needs nothing of ONNX Runtime:
    /// pass the results to OrtEnv.RegisterExecutionProviderLibrary and compare them with
    /// OrtEpDevice.EpName.
    /// </summary>
    public static class <%= helper %>
    {
        /// <summary>The oldest ONNX Runtime that the library loads into.</summary>
        public const string MinimumOnnxRuntime = <%= ort_minimum | json %>;

        // Environment variable that names the library's file and wins over every other place.
        private const string LibraryVariable = <%= library_variable | json %>;

        // The platforms that this package has a library for.
        private static readonly string[] Platforms = { <% for rid in rids %><%= rid | json %><%= "" if loop.last else ", " %><% endfor %> };

        /// <summary>The name that sessions know the execution provider by.</summary>
        public static string GetEpName()
        {
            return <%= ep | json %>;
        }

        /// <summary>The names of all execution providers in the library, that one first.</summary>
        public static string[] GetEpNames()
        {
            return new[] { <% for each in eps %><%= each | json %><%= "" if loop.last else ", " %><% endfor %> };
        }

        /// <summary>The full path of the library for this process.</summary>
        /// <exception cref="PlatformNotSupportedException">There is none for it.</exception>
        /// <exception cref="FileNotFoundException">It is in none of the usual places.</exception>
        public static string GetLibraryPath()
        {
            return Find(<%= library | json %>, LibraryVariable);
        }

<% if custom_library is not none %>
        /// <summary>The full path of the library that has the custom operators alone.</summary>
        /// <exception cref="PlatformNotSupportedException">There is none for this process.</exception>
        /// <exception cref="FileNotFoundException">It is in none of the usual places.</exception>
        public static string GetCustomOpsLibraryPath()
        {
            return Find(<%= custom_library | json %>, <%= custom_library_variable | json %>);
        }

<% endif %>
        private static string Find(string library, string variable)
        {
            string named = Environment.GetEnvironmentVariable(variable);
            if (!string.IsNullOrEmpty(named))
            {
                if (File.Exists(named)) return Path.GetFullPath(named);
                throw new FileNotFoundException(variable + " names a file that is not there: " + named, named);
            }

            string platform = GetPlatform();
            if (Array.IndexOf(Platforms, platform) < 0)
            {
                throw new PlatformNotSupportedException("<%= ep %> has no library for " + platform +
                    ". It has some for: " + string.Join(", ", Platforms));
            }

            string file = GetFileName(library);
            string inPackage = Path.Combine("runtimes", platform, "native", file);
            var places = new List<string>();
            foreach (string directory in GetDirectories())
            {
                places.Add(Path.GetFullPath(Path.Combine(directory, file)));
                places.Add(Path.GetFullPath(Path.Combine(directory, inPackage)));
                // The package itself: this assembly lies in lib/netstandard2.0.
                places.Add(Path.GetFullPath(Path.Combine(directory, "..", "..", inPackage)));
            }
            foreach (string place in places)
            {
                if (File.Exists(place)) return place;
            }
            throw new FileNotFoundException("The library of <%= ep %> was not found. Set " + variable +
                " to its path. Searched:\n  " + string.Join("\n  ", new HashSet<string>(places)), file);
        }

        private static IEnumerable<string> GetDirectories()
        {
            string location = typeof(<%= helper %>).Assembly.Location; // empty in an application of one file
            if (!string.IsNullOrEmpty(location)) yield return Path.GetDirectoryName(location);
            yield return AppDomain.CurrentDomain.BaseDirectory;
            // Where .NET itself looks for native libraries, those of an application of one file included.
            var searched = AppDomain.CurrentDomain.GetData("NATIVE_DLL_SEARCH_DIRECTORIES") as string;
            foreach (string directory in (searched ?? "").Split(Path.PathSeparator))
            {
                if (directory.Length > 0) yield return directory;
            }
        }

        private static string GetPlatform()
        {
            string system = RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? "win"
                : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? "osx" : "linux";
            return system + "-" + RuntimeInformation.ProcessArchitecture.ToString().ToLowerInvariant();
        }

        private static string GetFileName(string library)
        {
            if (RuntimeInformation.IsOSPlatform(OSPlatform.Windows)) return library + ".dll";
            if (RuntimeInformation.IsOSPlatform(OSPlatform.OSX)) return "lib" + library + ".dylib";
            return "lib" + library + ".so";
        }
    }
}
