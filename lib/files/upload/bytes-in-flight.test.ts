import { expect, it } from "vitest";
import { BytesInFlight } from "./bytes-in-flight.ts";

const BUSY = expect.objectContaining({ code: "SERVICE_UNAVAILABLE" });

it("the bytes that requests hold are bounded by sender and in all, until they are released", () => {
  const bytes = new BytesInFlight(400);
  const [first, second] = [bytes.open("a"), bytes.open("a")];
  first.add(60);
  second.add(40);
  expect(() => second.add(1)).toThrow(BUSY);
  for (const sender of ["b", "c"]) bytes.open(sender).add(100);
  const last = bytes.open("d");
  last.add(90);
  expect(() => bytes.open("e").add(11)).toThrow(BUSY);
  bytes.open("e").add(10);
  first.release();
  first.release();
  expect(() => second.add(61)).toThrow(BUSY);
  second.add(60);
  expect(() => last.add(1)).toThrow(BUSY);
});
