package io.zerorename.hive.fallback;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What linking needs of a class file: the format is in chapter 4 of the Java Virtual Machine
 * Specification. Names are internal ones, such as {@code java/lang/Object}.
 *
 * @param above the superclass and the interfaces
 * @param members that it declares, each as name and descriptor
 * @param classes that it names
 * @param uses members that it names
 */
record ClassFile(List<String> above, Set<String> members, Set<String> classes, Set<Use> uses) {
  /** A member of a class, as another names it. */
  record Use(String owner, String member) {}

  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;
  private static final int CLASS = 7;
  private static final int STRING = 8;
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;
  private static final int NAME_AND_TYPE = 12;
  private static final int METHOD_HANDLE = 15;
  private static final int METHOD_TYPE = 16;

  /** An entry of the constant pool: a text, or the numbers of other entries. */
  private record Constant(int tag, String text, int first, int second) {}

  static ClassFile read(InputStream stream) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(stream));
    // Magic and version.
    in.readLong();
    Constant[] pool = pool(in);
    // Access flags, and the class itself.
    in.readInt();
    List<String> above = new ArrayList<>();
    int superclass = in.readUnsignedShort();
    if (superclass != 0) {
      above.add(text(superclass, pool));
    }
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      above.add(text(in.readUnsignedShort(), pool));
    }
    Set<String> members = new HashSet<>();
    readMembers(in, pool, members);
    readMembers(in, pool, members);
    Set<String> classes = new HashSet<>();
    Set<Use> uses = new HashSet<>();
    for (Constant constant : pool) {
      if (constant != null && constant.tag == CLASS) {
        classes.add(pool[constant.first].text);
      } else if (constant != null && constant.tag >= FIELD && constant.tag <= INTERFACE_METHOD) {
        Constant type = pool[constant.second];
        uses.add(
            new Use(
                text(constant.first, pool), pool[type.first].text + " " + pool[type.second].text));
      }
    }
    return new ClassFile(above, members, classes, uses);
  }

  private static Constant[] pool(DataInputStream in) throws IOException {
    Constant[] pool = new Constant[in.readUnsignedShort()];
    for (int i = 1; i < pool.length; i++) {
      int tag = in.readUnsignedByte();
      pool[i] =
          switch (tag) {
            case UTF8 -> new Constant(tag, in.readUTF(), 0, 0);
            case CLASS -> new Constant(tag, "", in.readUnsignedShort(), 0);
            case FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE ->
                new Constant(tag, "", in.readUnsignedShort(), in.readUnsignedShort());
            default -> {
              // Linking finds nothing in these; a module or package is in no class.
              in.skipNBytes(
                  tag == LONG || tag == DOUBLE
                      ? 8
                      : tag == METHOD_HANDLE ? 3 : tag == STRING || tag == METHOD_TYPE ? 2 : 4);
              yield null;
            }
          };
      // These two take the place of two.
      i += tag == LONG || tag == DOUBLE ? 1 : 0;
    }
    return pool;
  }

  private static String text(int classEntry, Constant[] pool) {
    return pool[pool[classEntry].first].text;
  }

  /** Fields or methods. */
  private static void readMembers(DataInputStream in, Constant[] pool, Set<String> members)
      throws IOException {
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      in.readUnsignedShort();
      String name = pool[in.readUnsignedShort()].text;
      members.add(name + " " + pool[in.readUnsignedShort()].text);
      for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
        in.readUnsignedShort();
        in.skipNBytes(Integer.toUnsignedLong(in.readInt()));
      }
    }
  }
}
