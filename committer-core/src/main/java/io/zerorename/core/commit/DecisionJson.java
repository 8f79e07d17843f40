package io.zerorename.core.commit;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.log.ProcessJson;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.manifest.JsonFields;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.VersionedJson;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The JSON form of a decision. */
final class DecisionJson {
  static final int VERSION = 3;

  private static final VersionedJson JSON =
      new VersionedJson(
          "decision",
          VERSION,
          "Nothing was changed by reading it; keep it, it says what the job has to do.");

  private DecisionJson() {}

  static byte[] write(Decision decision) throws IOException {
    return JSON.write(json -> writeFields(json, decision));
  }

  private static void writeFields(JsonGenerator json, Decision decision) throws IOException {
    json.writeStringField("outcome", decision.outcome().name());
    ProcessJson.write(json, decision.decidedBy());
    if (decision.proposal().isPresent()) {
      Proposal proposal = decision.proposal().get();
      json.writeStringField("proposal", proposal.id());
      json.writeArrayFieldStart("plan");
      for (Proposal.Part part : proposal.parts()) {
        json.writeStartObject();
        json.writeStringField("name", part.name());
        json.writeStringField("sha256", part.sha256());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    if (decision.putsUntil().isPresent()) {
      json.writeNumberField("putsUntilMillis", decision.putsUntil().get().toEpochMilli());
    }
  }

  /**
   * @param where it was found, for messages
   */
  static Decision read(byte[] document, String where) throws IOException {
    return JSON.read(document, where, DecisionJson::parse);
  }

  private static Decision parse(JsonNode root) throws MalformedManifestException {
    ProcessIdentity process = ProcessJson.read(root);
    String outcome = JsonFields.text(root, "outcome");
    return switch (outcome) {
      case "COMMIT" ->
          new Decision(
              Decision.Outcome.COMMIT, Optional.of(proposal(root)), putsUntil(root), process);
      case "ABORT" ->
          new Decision(Decision.Outcome.ABORT, Optional.empty(), Optional.empty(), process);
      default -> throw new MalformedManifestException("its outcome is \"" + outcome + "\"", null);
    };
  }

  private static Optional<Instant> putsUntil(JsonNode root) throws MalformedManifestException {
    return root.has("putsUntilMillis")
        ? Optional.of(Instant.ofEpochMilli(JsonFields.number(root, "putsUntilMillis")))
        : Optional.empty();
  }

  private static Proposal proposal(JsonNode root) throws MalformedManifestException {
    List<Proposal.Part> parts = new ArrayList<>();
    for (JsonNode part : JsonFields.array(root, "plan")) {
      parts.add(new Proposal.Part(JsonFields.text(part, "name"), JsonFields.text(part, "sha256")));
    }
    if (parts.isEmpty()) {
      throw new MalformedManifestException("its plan has no part", null);
    }
    return new Proposal(JsonFields.text(root, "proposal"), parts);
  }
}
