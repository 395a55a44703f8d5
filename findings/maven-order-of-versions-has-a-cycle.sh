#!/usr/bin/env bash
# Maven 3.8.7, ComparableVersion of maven-artifact: the order of versions has a cycle. 1.0 < 1.x.1
# and 1.x.1 < 1-rc, but 1-rc < 1.0. A word before a separator stays in the list of its number, and
# one at the end starts a list of its own. The newest of such versions depends on the order in which
# they are compared. Realistic versions, numbers with one qualifier at the end, have no cycle.
# cspell:ignore libmaven println showformat
set -euo pipefail
jar=/usr/share/java/maven3-artifact.jar
if [ ! -e "$jar" ] || ! command -v java >/dev/null; then
  apt-get install --yes --no-install-recommends libmaven3-core-java default-jdk-headless >/dev/null
fi
dpkg-query --show --showformat '${Version}' libmaven3-core-java | grep -q '^3\.8\.7' || { echo "not 3.8.7"; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/Cycle.java" <<'JAVA'
import org.apache.maven.artifact.versioning.ComparableVersion;
public class Cycle {
  public static void main(String[] versions) {
    for (int at = 0; at < versions.length; at++) {
      String a = versions[at], b = versions[(at + 1) % versions.length];
      int order = new ComparableVersion(a).compareTo(new ComparableVersion(b));
      System.out.println(a + (order < 0 ? " < " : order > 0 ? " > " : " = ") + b);
    }
  }
}
JAVA
seen=$(java -cp "$jar:/usr/share/java/*" "$folder/Cycle.java" 1.0 1.x.1 1-rc)
expected='1.0 < 1.x.1
1.x.1 < 1-rc
1-rc < 1.0'
echo "$seen"
[ "$seen" = "$expected" ] || { echo "changed: expected $expected"; exit 1; }
