"use client";

import { RetryMessage } from "#components/shell/retry.tsx";

/** An error inside the app frame; the navigation stays. */
export default RetryMessage;
