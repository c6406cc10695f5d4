import { expect, test } from "vitest";
import * as icons from "./icons.ts";

type Data = { __iconData: { node: [string, Record<string, string>][] } };

test.each(Object.entries(icons))("%s is drawn as Lucide draws it", async (name, drawing) => {
  const file = name.replace(/Icon$/, "").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const { __iconData } = (await import(`lucide-react/dist/esm/icons/${file}.mjs`)) as Data;
  const plain = drawing.map(([shape, attributes]) => [shape, { ...attributes, key: expect.any(String) }]);
  expect(__iconData.node).toEqual(plain);
});
