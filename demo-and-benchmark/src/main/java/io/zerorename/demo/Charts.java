package io.zerorename.demo;

import io.zerorename.report.BarChart;
import io.zerorename.report.BarChart.Bar;
import io.zerorename.report.BarChart.Chart;
import io.zerorename.report.BarChart.Segment;
import io.zerorename.report.HtmlText;
import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.s3server.RequestType;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** The drawings of a report. */
final class Charts {
  /** What renames cost first, so that those colours stand together at the left. */
  private static final List<RequestType> ORDER =
      List.of(
          RequestType.COPY_OBJECT,
          RequestType.UPLOAD_PART_COPY,
          RequestType.HEAD_OBJECT,
          RequestType.LIST_OBJECTS_V2,
          RequestType.DELETE_OBJECT,
          RequestType.DELETE_OBJECTS,
          RequestType.PUT_OBJECT,
          RequestType.GET_OBJECT,
          RequestType.CREATE_MULTIPART_UPLOAD,
          RequestType.UPLOAD_PART,
          RequestType.COMPLETE_MULTIPART_UPLOAD);

  private final Report report;

  Charts(Report report) {
    this.report = report;
  }

  String requests() {
    return new Chart("S3 requests by type", bars(this::requestBar)).svg()
        + BarChart.legend(requestNames());
  }

  String seconds() {
    return new Chart("seconds by phase", bars(this::phaseBar)).svg()
        + BarChart.legend(
            report.engine().phases().entrySet().stream()
                .map(
                    phase ->
                        new Segment(
                            phase.getKey().key(), 0, color(phase.getKey()), phase.getValue()))
                .toList());
  }

  String copies() {
    return single("COPY requests", "copy", Unit.COUNT, m -> m.requests().copies());
  }

  String bytesCopied() {
    return single(
        "bytes copied by the server", "copy", Unit.BYTES, m -> m.requests().bytesCopied());
  }

  private enum Unit {
    COUNT,
    BYTES;

    String text(long value) {
      return this == COUNT ? HtmlText.count(value) : HtmlText.bytes(value);
    }
  }

  private String single(String name, String color, Unit unit, ToLongFunction<Measurement> value) {
    return new Chart(
            name,
            bars(
                measurement -> {
                  long number = value.applyAsLong(measurement);
                  return new Bar(
                      measurement.way().title(),
                      List.of(new Segment(name, (double) number, color, unit.text(number))),
                      unit.text(number));
                }))
        .svg();
  }

  private Bar requestBar(Measurement measurement) {
    List<Segment> segments =
        types().stream()
            .map(
                type -> {
                  long count = measurement.requests().of(type);
                  return new Segment(
                      type.apiName(), (double) count, color(type), HtmlText.count(count));
                })
            .toList();
    return new Bar(
        measurement.way().title(), segments, HtmlText.count(measurement.requests().total()));
  }

  private Bar phaseBar(Measurement measurement) {
    List<Segment> segments =
        report.engine().phases().keySet().stream()
            .map(
                phase ->
                    new Segment(
                        phase.key(),
                        measurement.seconds(phase),
                        color(phase),
                        HtmlText.seconds(measurement.seconds(phase))))
            .toList();
    return new Bar(measurement.way().title(), segments, HtmlText.seconds(measurement.seconds()));
  }

  private List<Bar> bars(java.util.function.Function<Measurement, Bar> bar) {
    return report.measurements().stream().map(bar).toList();
  }

  /** The types that occur, those of no named colour last. */
  private List<RequestType> types() {
    return java.util.stream.Stream.concat(
            ORDER.stream(),
            Arrays.stream(RequestType.values()).filter(type -> !ORDER.contains(type)))
        .filter(type -> report.measurements().stream().anyMatch(m -> m.requests().of(type) > 0))
        .toList();
  }

  private List<Segment> requestNames() {
    return types().stream().map(type -> new Segment(type.apiName(), 0, color(type), "")).toList();
  }

  private static String color(Phase phase) {
    return "phase-" + phase.key();
  }

  private static String color(RequestType type) {
    return switch (type) {
      case COPY_OBJECT, UPLOAD_PART_COPY -> "copy";
      case HEAD_OBJECT -> "head";
      case LIST_OBJECTS_V2 -> "list";
      case DELETE_OBJECT -> "delete";
      case DELETE_OBJECTS -> "bulk-delete";
      case PUT_OBJECT -> "put";
      case GET_OBJECT -> "get";
      case CREATE_MULTIPART_UPLOAD -> "create";
      case UPLOAD_PART -> "part";
      case COMPLETE_MULTIPART_UPLOAD -> "complete";
      default -> "other";
    };
  }
}
