"use client";

import { RetryMessage } from "#components/shell/retry.tsx";

/** A failure inside the frame: the way to the other pages stays. */
export default RetryMessage;
