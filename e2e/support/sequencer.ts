import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The order of the projects. Files with a process of their own wait most, for timers and processes, while other files
 * and the journeys use the cores; short files at the end leave no core idle.
 */
const PROJECT_ORDER = [
  "domain-apart",
  "domain-on-vite",
  "unit-apart",
  "domain",
  "api-own-service",
  "api",
  "unit-on-vite",
  "unit",
];

/** The longest unit test, which would otherwise come last, since its file is small. */
const LONGEST_UNIT_TEST = /\/slow-patterns\.test\.ts$/;

/** Sorts files so that those that wait begin first; within a project as Vitest does. */
export class WaitingFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

const rankOf = ({ project, moduleId }: TestSpecification): number =>
  PROJECT_ORDER.indexOf(project.name) - (LONGEST_UNIT_TEST.test(moduleId) ? 0.5 : 0);
