import { limitMemory } from "./memory-limit.ts";

/** `npm start`: takes a fresh checkout to a running service in one command. */

limitMemory();
// Loaded afterwards, so that a process that replaces itself has loaded almost nothing.
await import("./main.ts");
