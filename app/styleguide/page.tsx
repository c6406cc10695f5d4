import type { Metadata } from "next";
import { AppFrame } from "#components/shell/app-frame.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { throwNotFound } from "#lib/http/page.ts";
import { env } from "#lib/env.ts";
import { ActionSamples, BadgeSamples } from "./action-samples.tsx";
import { ChartSamples } from "./chart-samples.tsx";
import { FormSamples } from "./form-samples.tsx";
import { ListSamples } from "./list-samples.tsx";
import { ErrorMessageSamples } from "./message-samples.tsx";
import { SampleMenu } from "./section.tsx";
import { ColorSamples, HeaderSamples, ContentSamples } from "./text-samples.tsx";

/** In production the page doesn't exist, so it has no title either. */
export const generateMetadata = (): Metadata => (env().production ? {} : { title: "Style guide" });

/** Every component in every state, for page developers. Returns 404 in production. */
export default definePage(async function StyleGuide({
  searchParams,
}: {
  searchParams: Promise<{ fail?: string }>;
}) {
  if (env().production) throwNotFound();
  if ((await searchParams).fail) throw new Error("The style guide was asked to fail.");
  return (
    <AppFrame
      nav={[
        { label: "Style guide", href: "/styleguide" },
        { label: "Second", href: "/second" },
        { label: "Third", href: "/third" },
      ]}
      user={{ name: "Maya Okonkwo", email: "maya@example.org" }}
      userMenu={<SampleMenu />}
    >
      <div className="grid gap-10">
        <HeaderSamples />
        <ColorSamples />
        <ContentSamples />
        <ActionSamples />
        <BadgeSamples />
        <ListSamples />
        <FormSamples />
        <ChartSamples />
        <ErrorMessageSamples />
      </div>
    </AppFrame>
  );
}, NarrowFrame);
