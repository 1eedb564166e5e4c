// Tests that hang: a test runs into its time limit, and Playwright names no step as the cause. This was seen once, in a test of
// pictures, and not again in 52 runs of that test. So the configuration repeats a failed test once, and this reporter
// prints how long each step of the hanging test took. The repetition excuses nothing else: if a claim or a step fails, the run
// fails, even if the test then passes.

/** @import { Reporter, Suite, TestCase, TestResult } from "@playwright/test/reporter" */

/** Whether the time limit is the only error. @param {TestResult} result */
const hung = ({ status, errors }) => status === "timedOut" && errors.length === 1;

/** @implements {Reporter} */
export default class Hangs {
  /** @type {Suite | undefined} */
  #all;

  /** @param {unknown} config @param {Suite} all */
  onBegin(config, all) {
    this.#all = all;
  }

  /** @param {TestCase} test @param {TestResult} result */
  onTestEnd(test, result) {
    if (!hung(result)) return;
    console.log(`The time limit of "${test.title}" was reached. The duration of each step:`);
    for (const { title, duration, location } of result.steps) {
      console.log(`  ${duration < 0 ? "not finished" : `${duration} ms`}  ${title}${location ? `  (line ${location.line})` : ""}`);
    }
  }

  onEnd() {
    const repeated = this.#all?.allTests().filter((test) => test.outcome() === "flaky") ?? [];
    const wrong = repeated.filter(({ results }) => results.some((result) => result.status !== "passed" && !hung(result)));
    for (const test of wrong) console.log(`"${test.title}" failed and then passed. That is a fault of the test or of the page.`);
    return wrong.length > 0 ? { status: /** @type {const} */ ("failed") } : undefined;
  }
}
