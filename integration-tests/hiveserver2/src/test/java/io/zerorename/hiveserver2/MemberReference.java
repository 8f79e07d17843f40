package io.zerorename.hiveserver2;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A field, method or constructor of another class that a class file names. The JVM looks for it
 * when the line is run that uses it, and not before.
 *
 * @param owner the class that it is looked for in, and its parents after it
 * @param descriptor its type, as class files write it
 */
record MemberReference(String owner, String name, String descriptor) {
  private static final int HEAD = 8;

  /** All of a class file; chapter 4.4 of the JVM's specification has the format. */
  static Set<MemberReference> in(InputStream classFile) throws IOException {
    DataInputStream in = new DataInputStream(classFile);
    in.skipNBytes(HEAD);
    int count = in.readUnsignedShort();
    Object[] pool = new Object[count];
    for (int i = 1; i < count; i++) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case 1 -> pool[i] = in.readUTF();
        case 7, 8, 16, 19, 20 -> pool[i] = new int[] {tag, in.readUnsignedShort()};
        case 9, 10, 11, 12, 17, 18 ->
            pool[i] = new int[] {tag, in.readUnsignedShort(), in.readUnsignedShort()};
        case 15 -> in.skipNBytes(3);
        case 3, 4 -> in.skipNBytes(4);
        case 5, 6 -> {
          in.skipNBytes(8);
          // They take two places.
          i++;
        }
        default -> throw new IOException("constant " + i + " has the unknown tag " + tag);
      }
    }
    Set<MemberReference> found = new HashSet<>();
    for (Object constant : pool) {
      if (constant instanceof int[] parts && parts[0] >= 9 && parts[0] <= 11) {
        int[] type = (int[]) pool[parts[1]];
        int[] nameAndType = (int[]) pool[parts[2]];
        found.add(
            new MemberReference(
                ((String) pool[type[1]]).replace('/', '.'),
                (String) pool[nameAndType[1]],
                (String) pool[nameAndType[2]]));
      }
    }
    return found;
  }

  boolean exists(ClassLoader loader) {
    try {
      return isIn(Class.forName(owner, false, loader));
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private boolean isIn(Class<?> type) {
    return type != null
        && (Stream.of(type.getDeclaredFields())
                .anyMatch(field -> is(field.getName(), field.getType().descriptorString()))
            || Stream.of(type.getDeclaredMethods())
                .anyMatch(
                    method ->
                        is(
                            method.getName(),
                            MethodType.methodType(
                                    method.getReturnType(), method.getParameterTypes())
                                .descriptorString()))
            || Stream.of(type.getDeclaredConstructors())
                .anyMatch(
                    constructor ->
                        is(
                            "<init>",
                            MethodType.methodType(void.class, constructor.getParameterTypes())
                                .descriptorString()))
            || (!name.equals("<init>")
                && (isIn(type.getSuperclass())
                    || Arrays.stream(type.getInterfaces()).anyMatch(this::isIn))));
  }

  private boolean is(String otherName, String otherDescriptor) {
    return name.equals(otherName) && descriptor.equals(otherDescriptor);
  }
}
