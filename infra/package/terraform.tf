# The service in Terraform. `make package` prints the address of the template; another address deploys other code or other settings.
variable "template_url" {
  type = string
}

resource "aws_cloudformation_stack" "accounts" {
  name         = "accounts"
  template_url = var.template_url
  capabilities = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]

  # Terraform's default of 30 minutes is short for a gradual deployment with a new distribution.
  timeouts {
    create = "90m"
    update = "90m"
  }

  lifecycle {
    prevent_destroy = true
  }
}

output "api_url" {
  value = aws_cloudformation_stack.accounts.outputs["BaseUrl"]
}
