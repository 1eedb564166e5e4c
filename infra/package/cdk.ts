// The service in the CDK. `make package` writes the template; its nested templates and zips are in the bucket already.
import { App, CfnOutput, Stack } from "aws-cdk-lib";
import { CfnInclude } from "aws-cdk-lib/cloudformation-include";

const app = new App();
// The names of functions and log groups begin with the stack's name, which has at most 39 characters.
const stack = new Stack(app, "Accounts", { stackName: "accounts", terminationProtection: true });
const accounts = new CfnInclude(stack, "Template", { templateFile: "target/package/accounts.json" });

// Another stack of the app takes the outputs from here, such as the API's id.
export const api = accounts.getResource("Api");
new CfnOutput(stack, "Deployed", { value: stack.stackName });
