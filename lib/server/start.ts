import { restartProcessWithMemoryLimit } from "./memory-limit.ts";

/** `npm start`: builds what is missing and starts the service, in one command. */

restartProcessWithMemoryLimit();
// Loaded afterwards, so that a process that replaces itself has loaded almost nothing.
await import("./main.ts");
