import { expect, test } from "vitest";
import {
  collectImageFieldNamesAndValues,
  listRevealedMetadataCategories,
  parseXmpPacketFieldNames,
} from "./reveals.ts";

test.each([
  "Title",
  "title",
  "ImageDescription",
  "Caption/Abstract",
  "Comment",
  "UserComment",
  "XPKeywords",
  "subject",
])("%s may name somebody, as what people write freely", (name) => {
  expect(listRevealedMetadataCategories([name])).toEqual(["author"]);
});

test("fields that cameras leave blank reveal nothing", () => {
  const groups = {
    exif: {
      UserComment: { value: [0, 0, 0x20, 0], description: "" },
      ImageDescription: { value: ["   "], description: "   " },
      Make: { value: ["Lantern"], description: "Lantern" },
    },
  };
  expect(collectImageFieldNamesAndValues(groups).names).toEqual(["Make"]);
});

test("the frame of an XMP packet is no description", () => {
  const packet = `<rdf:Description rdf:about="" xmp:CreatorTool="Lantern"><dc:description><rdf:Alt><rdf:li xml:lang="de">Tor</rdf:li></rdf:Alt></dc:description></rdf:Description>`;
  expect(parseXmpPacketFieldNames(packet)).toEqual(["CreatorTool", "lang", "description"]);
});
