
BxJ TQqMóÅ@È·ÊÄ‰QAMÒ,Í7L¤S™Í\Mð?«N