import { applyMemoryLimit } from "./memory-limit.ts";

/** `npm start`: takes a fresh checkout to a running service in one command. */

applyMemoryLimit();
// Loaded afterwards, so that a process that replaces itself has loaded almost nothing.
await import("./main.ts");
